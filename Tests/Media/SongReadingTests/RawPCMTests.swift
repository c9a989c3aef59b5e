import AudioCore
import AudioFileStreamServices
import HostSystem
import Songs
import StreamTestKit
import Testing

/// Samples without a header.
@Suite(.timeLimit(.minutes(5)))
struct RawPCMTests {
    /// Gives its bytes in pieces, with waits between them.
    private final class Pieces: ByteSource {
        let name = "pieces"
        private var bytes: ArraySlice<UInt8>
        private let size: Int
        private var isDue = false

        init(_ bytes: [UInt8], of size: Int) {
            self.bytes = bytes[...]
            self.size = size
        }

        func open() throws(SongFailure) -> ByteAccess? { .stream }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead {
            isDue.toggle()
            guard isDue else { return .notYet }
            let piece = bytes.prefix(min(size, buffer.count))
            bytes = bytes.dropFirst(piece.count)
            buffer.copyBytes(from: piece)
            return piece.isEmpty ? .end : .bytes(piece.count)
        }
    }

    private func read(_ source: any ByteSource) throws -> (ParsedStream, waitCount: Int) {
        var stream = SongStream(source)
        var recorder = EventRecorder()
        var waitCount = 0
        while !stream.isFinished {
            _ = try stream.advance(into: &recorder)
            if stream.isWaiting { waitCount += 1 }
        }
        return (ParsedStream(events: recorder.events), waitCount)
    }

    private struct Format {
        var text: String
        var byteCount: Int
        var layout: PCMLayout
    }

    private static let formats: [Format] =
        [
            Format(text: "u8", byteCount: 1, layout: []), Format(text: "s8", byteCount: 1, layout: .signedInteger),
            Format(text: "f32le", byteCount: 4, layout: .float),
            Format(text: "f64be", byteCount: 8, layout: [.float, .bigEndian]),
        ]
        + (2...8).flatMap { count in
            [
                Format(text: "s\(count * 8)le", byteCount: count, layout: .signedInteger),
                Format(text: "S\(count * 8)BE", byteCount: count, layout: [.signedInteger, .bigEndian]),
            ]
        }

    @Test(arguments: formats.indices, [1, 7, 40_000]) func theBytesAreThePackets(index: Int, size: Int) throws {
        let format = Self.formats[index]
        var generator = SeededGenerator(seed: 5)
        let bytes = (0..<format.byteCount * 3 * 2_500).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let raw = try RawPCMFormat(parsing: "44100:3:\(format.text)")
        let (stream, waitCount) = try read(RawPCMSource(Pieces(bytes, of: size), format: raw))
        let found = try #require(stream.format)
        #expect(found.codec == .linearPCM && found.sampleRate == 44_100 && found.channelsPerFrame == 3)
        #expect(found.pcm == format.layout && found.bitsPerChannel == format.byteCount * 8)
        #expect(found.bytesPerFrame == format.byteCount * 3)
        #expect(stream.packets.flatMap(\.bytes) == bytes)
        #expect(stream.packets.reduce(0) { $0 + $1.frameCount } == 2_500)
        #expect(waitCount >= bytes.count / size)
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
    }

    @Test func aFileOfSamplesIsReadToItsEnd() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/samples"
        try Tool.writeFile(path, [UInt8](repeating: 3, count: 100_001))
        let raw = RawPCMFormat(sampleRate: 8_000, channelCount: 1, sampleByteCount: 2, layout: .signedInteger)
        let (stream, _) = try read(RawPCMSource(FileSource(try SongFile(path: path)), format: raw))
        #expect(stream.packets.reduce(0) { $0 + $1.frameCount } == 50_000)
    }

    @Test(arguments: [
        ("48000:2", "'48000:2' is not RATE:CHANNELS:FORMAT (48000:2:s16le)"),
        ("x:2:s16le", "the rate must be from 8000 to 192000 Hz, not 'x'"),
        ("192001:2:s16le", "the rate must be from 8000 to 192000 Hz, not '192001'"),
        ("nan:2:s16le", "the rate must be from 8000 to 192000 Hz, not 'nan'"),
        ("48000:0:s16le", "there may be 1 to 8 channels, not '0'"),
    ]) func theImpossibleIsRefused(text: String, message: String) {
        let error = #expect(throws: RawPCMFormatError.self) { try RawPCMFormat(parsing: text) }
        #expect(error?.message == message)
    }

    @Test(arguments: ["s16", "u16le", "f16le", "s12le", "s72le", "s8le", ""]) func unknownSamplesAreRefused(
        text: String
    ) {
        let error = #expect(throws: RawPCMFormatError.self) { try RawPCMFormat(parsing: "48000:2:\(text)") }
        #expect(error?.message.hasPrefix("samples may be u8, s8, s16 to s64") == true)
    }
}
