import AudioCore
import AudioDecoding
import Playout
import Testing

@testable import AudioQueueServices

@Suite(.timeLimit(.minutes(5))) struct OutputQueueTests {
    // MARK: Buffers

    @Test func threeBuffersPlayWithoutAGap() throws {
        let rig = try BufferRig()
        for _ in 0..<3 { rig.enqueue(frames: 4_800) }
        rig.queue.start(at: nil)
        var refilled = 0
        for _ in 0..<1_000 {
            rig.tick()
            while refilled < rig.returned.count, refilled < 40 {
                rig.enqueue(frames: 4_800)
                refilled += 1
                if refilled == 40 { rig.queue.flush(thenStop: true) }
            }
        }
        rig.run { rig.events.contains(.runningChanged(false)) }
        let stretches = rig.stretches()
        #expect(stretches.count == 1 && stretches.first?.count == 43 * 4_800, "\(stretches)")
        #expect(rig.events == [.runningChanged(true), .runningChanged(false)])
    }

    @Test func buffersComeBackInOrderWhenTheirLastFrameWasHeardAndNotBefore() throws {
        let rig = try BufferRig()
        for frames in [1_000, 5_000, 1, 3_000, 9_000] { rig.enqueue(frames: frames) }
        rig.queue.start(at: nil)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.returned.map(\.number) == [0, 1, 2, 3, 4])
        let start = try #require(rig.stretches().first).device
        var end = start
        for (buffer, frames) in zip(rig.returned, [1_000, 5_000, 1, 3_000, 9_000]) {
            end += frames
            let late = buffer.pointer - Int64(end)
            #expect((0...2 * BufferRig.tickFrames).contains(late), "buffer \(buffer.number): \(late) frames")
        }
    }

    @Test(arguments: [1, 2, 3, 4_001, 7_999]) func aFrameMayLieAcrossTwoBuffers(firstBytes: Int) throws {
        let rig = try BufferRig()
        rig.enqueueSplit(frames: 2_000, firstBytes: firstBytes)
        rig.enqueueSplit(frames: 2_000, firstBytes: 8_000 - firstBytes)
        rig.queue.start(at: nil)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.stretches().map(\.count) == [4_000])
        #expect(rig.returned.count == 4)
    }

    @Test func moreThanTheQueueDecodesAheadWaitsInItsBuffers() throws {
        let rig = try BufferRig()
        for _ in 0..<100 { rig.enqueue(frames: 9_600) }
        rig.queue.start(at: nil)
        rig.queue.flush(thenStop: true)
        for _ in 0..<3 where !rig.events.contains(.runningChanged(false)) { rig.run(ticks: 1_500) }
        #expect(rig.stretches().map(\.count) == [960_000])
        #expect(rig.returned.map(\.number) == Array(0..<100))
    }

    @Test func aPacketIsNotCutAndABufferHoldsOneKindOfThings() {
        var buffer = OutputBuffer(BufferStorage(AudioBufferSize(byteCount: 100, packetCount: 2)))
        let bytes = [UInt8](repeating: 1, count: 60)
        let packets = [60, 60, 40, 0].map { buffer.append(bytes.span.bytes.extracting(first: $0), frameCount: 10) }
        #expect(packets == [true, false, true, false])
        let none = buffer.append(bytes: bytes.span.bytes)
        let counts = (buffer.byteCount, buffer.packetCount)
        #expect(none == 0 && counts == (100, 2))
        buffer.removeAll()
        let bare = [buffer.append(bytes: bytes.span.bytes), buffer.append(bytes: bytes.span.bytes)]
        #expect(bare == [60, 40])
        let isPacketTaken = buffer.append(bytes.span.bytes.extracting(first: 0), frameCount: 10)
        #expect(!isPacketTaken)
    }

    @Test func aSizeIsDerivedFromFormatPacketsAndSeconds() {
        let pcm = AudioBufferSize(format: BufferRig.format, packetSizeUpperBound: 4, duration: .milliseconds(500))
        #expect(pcm == AudioBufferSize(byteCount: 96_000, packetCount: 0))
        let mp3 = AudioStreamFormat(codec: .mpegLayer3, sampleRate: 44_100, framesPerPacket: 1_152, channelsPerFrame: 2)
        let half = AudioBufferSize(format: mp3, packetSizeUpperBound: 1_441, duration: .milliseconds(500))
        #expect(half == AudioBufferSize(byteCount: 20 * 1_441, packetCount: 20))
        let long = AudioBufferSize(format: mp3, packetSizeUpperBound: 1_441, duration: .seconds(50))
        #expect(long.byteCount == AudioBufferSize.byteRange.upperBound && long.packetCount > 227)
        // Nonsense from a file asks for no memory.
        let bad = AudioBufferSize(format: mp3, packetSizeUpperBound: .max, duration: .seconds(1 << 30))
        #expect(bad.byteCount <= AudioBufferSize.byteRange.upperBound)
    }

    // MARK: Transport

    @Test func nothingSoundsBeforeTheStart() throws {
        let rig = try BufferRig()
        rig.enqueue(frames: 4_800)
        rig.run(ticks: 100)
        #expect(rig.output.allSatisfy { $0 == 0 } && rig.events.isEmpty)
        #expect(rig.core.prime(4_800) == 4_800)
    }

    @Test func primingDecodesOnTheCallersThread() throws {
        let rig = try BufferRig()
        for _ in 0..<20 { rig.enqueue(frames: 9_600) }
        #expect(rig.core.prime(20_000) >= 20_000)
        // The ring's capacity, not all that there is.
        #expect((96_000..<192_000).contains(rig.core.prime(.max)))
    }

    @Test func drainingPlaysTheLastFrame() throws {
        for frames in [1, 100, 700, 4_800, 5_001] {
            let rig = try BufferRig()
            rig.enqueue(frames: frames)
            rig.queue.start(at: nil)
            rig.queue.flush(thenStop: true)
            rig.run { rig.events.contains(.runningChanged(false)) }
            #expect(rig.output.count { $0 != 0 } == frames)
            #expect(rig.output.filter { $0 != 0 } == (0..<Int64(frames)).map(BufferRig.sample))
            #expect(rig.queue.phase == .stopped && rig.queue.enqueuedBufferCount == 0)
        }
    }

    @Test(arguments: [true, false]) func anImmediateStopIsHeardWithinWhatTheDeviceHolds(canRewind: Bool) throws {
        let rig = try BufferRig()
        rig.canRewind = canRewind
        for _ in 0..<10 { rig.enqueue(frames: 9_600) }
        rig.queue.start(at: nil)
        rig.run(ticks: 40)
        let stop = Int(rig.pointer)
        rig.queue.stop()
        rig.run { rig.events.contains(.runningChanged(false)) }
        let last = try #require(rig.output.lastIndex { $0 != 0 })
        let most = (canRewind ? 3 * BufferRig.tickFrames : BufferRig.deviceBuffer) + 480 + 256
        #expect(last - stop <= Int(most), "\(last - stop) frames")
        #expect(rig.returned.map(\.number) == Array(0..<10))
        // It can go on with other frames.
        let next = rig.enqueuedFrames
        rig.enqueue(frames: 9_600)
        rig.queue.start(at: nil)
        rig.run(ticks: 100)
        #expect(rig.stretches().last?.song == next)
    }

    @Test func aPauseLosesNothingAtAnyMoment() throws {
        for ticks in 0..<60 {
            let rig = try BufferRig()
            for _ in 0..<4 { rig.enqueue(frames: 4_801) }
            rig.queue.start(at: nil)
            rig.run(ticks: ticks)
            rig.queue.pause()
            rig.run(ticks: ticks % 7)
            rig.queue.start(at: nil)
            rig.queue.flush(thenStop: true)
            rig.run { rig.events.contains(.runningChanged(false)) }
            #expect(rig.output.count { $0 != 0 } == 4 * 4_801, "paused after \(ticks) ticks")
            #expect(rig.losses().isEmpty, "paused after \(ticks) ticks: \(rig.losses())")
        }
    }

    @Test func aPausedQueueIsDigitalSilence() throws {
        let rig = try BufferRig()
        for _ in 0..<10 { rig.enqueue(frames: 9_600) }
        rig.queue.start(at: nil)
        rig.run(ticks: 50)
        rig.queue.pause()
        rig.run(ticks: 30)
        #expect(rig.isSilent && rig.queue.phase == .paused)
        let start = rig.pointer
        rig.run(ticks: 200)
        #expect(rig.output[Int(start)...].allSatisfy { $0 == 0 })
    }

    @Test func whatIsEnqueuedAfterAFlushIsAStreamOfItsOwn() throws {
        let rig = try BufferRig()
        rig.enqueue(frames: 3_001)
        rig.queue.start(at: nil)
        rig.queue.flush(thenStop: false)
        rig.enqueue(frames: 4_000)
        rig.enqueue(frames: 500)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.output.filter { $0 != 0 } == (0..<7_501).map(BufferRig.sample))
        #expect(rig.returned.map(\.number) == [0, 1, 2])
    }

    @Test func anotherFormatFollowsWhenTheFirstWasHeard() throws {
        let rig = try BufferRig()
        let priming = AudioPacketTableInfo(validFrameCount: 3_000, primingFrameCount: 500, remainderFrameCount: 0)
        for isRunning in [false, true] {
            if isRunning { rig.queue.start(at: nil) }
            let first = rig.enqueuedFrames
            rig.enqueue(frames: 3_000)
            rig.queue.enqueue(OutputQueueStream(format: BufferRig.format, magicCookie: [], table: priming))
            rig.enqueue(frames: 3_500)
            rig.queue.enqueue(OutputQueueStream(format: BufferRig.format, magicCookie: [], table: nil))
            rig.run(ticks: 300)
            guard isRunning else { continue }
            let heard = rig.output.filter { $0 != 0 }
            let wanted = [0..<3_000, 3_500..<6_500, first..<first + 3_000, first + 3_500..<first + 6_500]
            #expect(heard == wanted.joined().map(BufferRig.sample))
            #expect(rig.returned.map(\.number) == [0, 1, 2, 3])
        }
    }

    @Test func aFormatThatCannotBeDecodedIsToldAndTheNextOneGoesOn() throws {
        let rig = try BufferRig()
        rig.queue.start(at: nil)
        rig.enqueue(frames: 3_000)
        let mp3 = AudioStreamFormat(codec: .mpegLayer3, sampleRate: 44_100, framesPerPacket: 1_152, channelsPerFrame: 2)
        rig.queue.enqueue(OutputQueueStream(format: mp3, magicCookie: [], table: nil))
        rig.enqueue(frames: 100)
        rig.run(ticks: 100)
        #expect(rig.events.contains { if case .decodingFailed = $0 { true } else { false } })
        #expect(rig.returned.map(\.number) == [0])
        rig.queue.reset(to: .zero, nextPacketAt: nil)
        rig.queue.enqueue(OutputQueueStream(format: BufferRig.format, magicCookie: [], table: nil))
        rig.enqueue(frames: 2_000)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.returned.map(\.number) == [0, 1, 2])
        #expect(rig.output.count { $0 != 0 } == 5_000)
    }

    @Test func aResetDropsWhatIsEnqueuedAndPlaysWhatComes() throws {
        let rig = try BufferRig()
        for _ in 0..<5 { rig.enqueue(frames: 9_600) }
        rig.queue.start(at: nil)
        rig.run(ticks: 50)
        rig.queue.reset(to: .zero, nextPacketAt: nil)
        let next = rig.enqueuedFrames
        rig.enqueue(frames: 4_800)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        let last = try #require(rig.stretches().last)
        #expect(last.song == next && last.count == 4_800)
        #expect(rig.returned.map(\.number) == [0, 1, 2, 3, 4, 5])
    }

    @Test func aSeekGoesOnWhereItWasAskedTo() throws {
        let rig = try BufferRig()
        for _ in 0..<5 { rig.enqueue(frames: 9_600) }
        rig.queue.start(at: nil)
        rig.run(ticks: 50)
        // The next packet begins 700 frames before what shall be heard.
        rig.queue.reset(to: FramePosition(100_000), nextPacketAt: FramePosition(99_300))
        let next = rig.enqueuedFrames
        rig.enqueue(frames: 9_600)
        rig.queue.flush(thenStop: true)
        #expect(rig.queue.position(at: .now()).frames == 100_000)
        rig.run { rig.core.control.snapshot.heardPosition?.frames ?? 0 > 104_000 }
        #expect((104_001..<105_000).contains(rig.core.control.snapshot.heardPosition?.frames ?? 0))
        rig.run { rig.events.contains(.runningChanged(false)) }
        let last = try #require(rig.stretches().last)
        // All but the fade in.
        #expect(last.song == next + 700 + 240 && last.count == 9_600 - 700 - 240)
    }

    @Test func aBufferThatComesLateLosesNothing() throws {
        let rig = try BufferRig()
        rig.enqueue(frames: 9_600)
        rig.queue.start(at: nil)
        rig.run(ticks: 100)
        #expect(rig.events == [.runningChanged(true), .underrun] && rig.isSilent)
        rig.enqueue(frames: 9_600)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.output.count { $0 != 0 } == 19_200)
        #expect(rig.losses().isEmpty)
    }

    @Test func aStartAtAnInstantIsThatFrame() throws {
        let rig = try BufferRig()
        rig.enqueue(frames: 9_600)
        rig.run(ticks: 100)
        // Card frame 60,000 leaves it at 1 s and 60,000 / 48,000 s.
        rig.queue.start(at: HostTime(nanoseconds: 2_250_000_000))
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.stretches().map(\.device) == [60_000] && rig.stretches().map(\.count) == [9_600])
    }

    @Test func primingAndRemainderAreNotHeard() throws {
        let rig = try BufferRig(
            table: AudioPacketTableInfo(validFrameCount: 5_000, primingFrameCount: 1_105, remainderFrameCount: 1_000))
        rig.enqueue(frames: 7_105)
        rig.queue.start(at: nil)
        rig.queue.flush(thenStop: true)
        rig.run { rig.events.contains(.runningChanged(false)) }
        #expect(rig.output.filter { $0 != 0 } == (1_105..<6_105).map(BufferRig.sample))
        #expect(rig.returned.count == 1)
    }

    @Test func whateverIsDoneNothingIsLostOrRepeatedOrHeldBack() throws {
        for seed in UInt64(1)...40 {
            var random = SeededRandom(seed: seed)
            let rig = try BufferRig()
            rig.canRewind = seed % 3 != 0
            var buffers = 0
            for _ in 0..<60 {
                switch random.next() % 6 {
                case 0, 1, 2:
                    rig.enqueue(frames: 1 + Int(random.next() % 9_000))
                    buffers += 1
                case 3: rig.queue.pause()
                case 4: rig.queue.start(at: nil)
                default: rig.queue.flush(thenStop: random.next() % 4 == 0)
                }
                rig.run(ticks: Int(random.next() % 30))
            }
            rig.queue.start(at: nil)
            rig.queue.flush(thenStop: true)
            for _ in 0..<60 where rig.queue.enqueuedBufferCount > 0 {
                // One that stopped at an earlier end has to be started again.
                rig.queue.start(at: nil)
                rig.run { rig.queue.phase == .stopped }
            }
            rig.run(ticks: 60)
            #expect(rig.output[..<Int(rig.pointer)].count { $0 != 0 } == rig.enqueuedFrames, "seed \(seed)")
            #expect(rig.losses().isEmpty, "seed \(seed): \(rig.losses())")
            #expect(rig.returned.map(\.number) == Array(0..<buffers), "seed \(seed)")
        }
    }
}

/// The same numbers for the same seed.
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
