import AudioCore
import Testing

@testable import Playout

@Suite(.timeLimit(.minutes(5))) struct FrameRingTests {
    private func makeRing(first: Int64 = 0) -> FrameRing {
        FrameRing(firstFrame: FramePosition(first), channelCount: 2, capacity: 1024)
    }

    private func frames(_ range: Range<Int>) -> [Float] { range.flatMap { [Float($0), -Float($0)] } }

    private func read(_ ring: FrameRing, at position: Int64, count: Int) -> [Float] {
        var result: [Float] = []
        ring.storage.pointee.forEachReadableRun(at: position, count: count) { samples, _, run in
            result += UnsafeBufferPointer(start: samples, count: run * 2)
        }
        return result
    }

    @Test func framesKeepTheirPlaceThroughManyWraps() {
        let ring = makeRing(first: -700)
        var position = -700
        for _ in 0..<20 {
            #expect(frames(position..<position + 300).withUnsafeBufferPointer { ring.write($0) } == 300)
            #expect(read(ring, at: Int64(position), count: 300) == frames(position..<position + 300))
            position += 300
            ring.storage.pointee.release(below: Int64(position))
        }
        #expect(ring.writePosition == FramePosition(Int64(position)))
    }

    @Test func aFullRingTakesNoMore() {
        let ring = makeRing()
        #expect(frames(0..<1500).withUnsafeBufferPointer { ring.write($0) } == 1024)
        #expect(ring.writableFrameCount == 0)
        ring.storage.pointee.release(below: 10)
        #expect(ring.writableFrameCount == 10)
    }

    @Test func skippedFramesAreSilenceAlsoWhereTheyExceedTheRing() {
        let ring = makeRing()
        frames(1..<101).withUnsafeBufferPointer { _ = ring.write($0) }
        ring.skip(to: FramePosition(3_000))
        #expect(ring.writePosition == FramePosition(3_000))
        #expect(ring.writableFrameCount == 0)
        #expect(read(ring, at: 100, count: 900).allSatisfy { $0 == 0 })
        ring.storage.pointee.release(below: 1_000)
        #expect(ring.writableFrameCount == 0)
        ring.storage.pointee.release(below: 2_000)
        #expect(ring.writableFrameCount == 24)
        ring.storage.pointee.release(below: 3_000)
        #expect(ring.writableFrameCount == 1_024)
        #expect(ring.storage.pointee.readable == (3_000, 3_000))
    }
}
