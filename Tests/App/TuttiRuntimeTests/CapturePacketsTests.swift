import AudioCore
import AudioQueueServices
import Broadcasting
import Testing

@testable import TuttiRuntime

@Suite(.timeLimit(.minutes(5))) struct CapturePacketsTests {
    private static let format = AudioStreamFormat.linearPCM(
        sampleRate: 48_000, channels: 2, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)

    /// Hands a buffer of 960 frames over.
    private func give(_ packets: inout CapturePackets, frame: Int64, fill: UInt8 = 1) -> [SourceEvent]? {
        let bytes = [UInt8](repeating: fill, count: 960 * 4)
        let time = DeviceInstant(
            frame: DeviceFrame(index: frame), host: HostTime(nanoseconds: 1_000_000_000 + frame * 20_833),
            secondsPerFrame: 1 / 48_001, bound: .zero)
        return packets.events(for: bytes.span.bytes, frameCount: 960, time: time)
    }

    private func parts(of event: SourceEvent?) -> (properties: Int, frames: [Int], data: [UInt8])? {
        guard case .read(let properties, let packets, let data)? = event else { return nil }
        return (properties.count, packets.map(\.frameCount), Array(data.readableBytesView))
    }

    @Test func aBufferIsAPacketAndTheFirstSaysWhatItIs() throws {
        var packets = CapturePackets(format: Self.format, title: "live")
        let first = try #require(give(&packets, frame: 777))
        // Before its packets, which are live by that.
        guard case .clock(let clock)? = first.first else { throw Missing() }
        #expect(try #require(parts(of: first.last)).properties == 3)
        #expect(clock.frame == .zero && clock.framesPerSecond == 48_001)
        #expect(clock.session.nanoseconds == 1_000_000_000 + 777 * 20_833)
        let second = try #require(give(&packets, frame: 1_737))
        #expect(second.count == 1)
        let packet = try #require(parts(of: second.first))
        #expect(packet.properties == 0 && packet.frames == [960] && packet.data.count == 3_840)
    }

    @Test func theClockIsToldFourTimesASecond() throws {
        var packets = CapturePackets(format: Self.format, title: "live")
        var frames: [Int64] = []
        for index in 0..<100 {
            let events = try #require(give(&packets, frame: Int64(index) * 960))
            for case .clock(let clock) in events {
                frames.append(clock.frame.index)
            }
        }
        #expect(frames == [0, 12_480, 24_960, 37_440, 49_920, 62_400, 74_880, 87_360])
    }

    @Test func lostFramesAreSilenceOfTheSameLength() throws {
        var packets = CapturePackets(format: Self.format, title: "live")
        _ = give(&packets, frame: 0)
        let events = try #require(give(&packets, frame: 960 + 2_500, fill: 7))
        let result = try #require(parts(of: events.first))
        #expect(result.frames == [1_024, 1_024, 452, 960])
        #expect(result.data == [UInt8](repeating: 0, count: 10_000) + [UInt8](repeating: 7, count: 3_840))
    }

    @Test func whatWasAwayForTooLongDoesNotGoOn() {
        var packets = CapturePackets(format: Self.format, title: "live")
        _ = give(&packets, frame: 0)
        #expect(give(&packets, frame: 960 + 480_001) == nil)
        #expect(give(&packets, frame: 0) == nil)
    }

    private struct Missing: Error {}
}
