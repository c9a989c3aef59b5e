import AudioCore
import Songs
import StreamTestKit
import Synchronization
import Testing

/// AAC that turns out to have twice the rate.
@Suite(.timeLimit(.minutes(5)))
struct FormatProbeTests {
    private func song(rate: Int, in directory: borrowing TemporaryDirectory) throws -> String {
        try Tool.run(
            "ffmpeg -v error -f lavfi -i sine=300:sample_rate=\(rate):duration=3 -c:a aac -y s.m4a", in: directory)
        return directory.path + "/s.m4a"
    }

    /// A probe that says what a decoder would of a stream with spectral band replication.
    private static let doubling = FormatProbe { format, cookie, packets in
        guard !cookie.isEmpty, packets.count == 8, packets.allSatisfy({ !$0.isEmpty }) else { return format }
        var decoded = format
        decoded.codec = .aacHE
        decoded.sampleRate *= 2
        decoded.framesPerPacket *= 2
        return decoded
    }

    @Test func everyFrameCountDoubles() throws {
        let directory = TemporaryDirectory()
        let path = try song(rate: 22_050, in: directory)
        let plain = SongFacts.read(path: path)
        let double = SongFacts.read(path: path, probe: Self.doubling)
        #expect(plain.failure == nil && double.failure == nil)
        #expect(plain.summary.format?.codec == .aac && double.summary.format?.codec == .aacHE)
        #expect(double.summary.format?.sampleRate == 44_100)
        #expect(double.framesPerPacket == 2_048 && double.packetCount == plain.packetCount)
        #expect(plain.frameCount > 60_000 && double.frameCount == plain.frameCount * 2)
        #expect(double.primingFrameCount == plain.primingFrameCount * 2)
        #expect(double.remainderFrameCount == plain.remainderFrameCount * 2)
        #expect(double.seconds == plain.seconds)
        #expect(double.audioByteCount == plain.audioByteCount)
        #expect(double.summary.formatList.map(\.sampleRate) == [44_100, 22_050])
        _ = directory.path
    }

    /// Packets and properties are the same but for lengths, and in the same order.
    @Test func nothingIsLostInBetween() throws {
        let directory = TemporaryDirectory()
        let path = try song(rate: 16_000, in: directory)
        func events(_ probe: FormatProbe?) throws -> [StreamEvent] {
            var stream = SongStream(try SongFile(path: path), probe: probe, pieceByteCount: 777)
            var recorder = EventRecorder()
            while !stream.isFinished { _ = try stream.advance(into: &recorder) }
            return recorder.events
        }
        let plain = try events(nil)
        #expect(try events(FormatProbe { format, _, _ in format }) == plain)
        let packets = try events(Self.doubling).compactMap { event -> StreamEvent? in
            guard case .packet(let bytes, let frameCount) = event else { return nil }
            return .packet(bytes: bytes, frameCount: frameCount / 2)
        }
        #expect(packets.count > 40)
        #expect(packets == plain.filter { if case .packet = $0 { true } else { false } })
        _ = directory.path
    }

    @Test func fastStreamsAndOtherCodecsAreNotTried() throws {
        let count = Mutex(0)
        let probe = FormatProbe { format, _, _ in
            count.withLock { $0 += 1 }
            return format
        }
        let directory = TemporaryDirectory()
        let path = try song(rate: 44_100, in: directory)
        #expect(SongFacts.read(path: path, probe: probe).failure == nil)
        try Tool.writeFile(directory.path + "/s.wav", WAVEWriter().file(data: payload(4_000)))
        #expect(SongFacts.read(path: directory.path + "/s.wav", probe: probe).frameCount == 1_000)
        #expect(count.withLock { $0 } == 0)
    }
}
