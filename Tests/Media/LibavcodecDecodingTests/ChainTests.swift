import AudioCore
import AudioDecoding
import AudioFileStreamServices
import LibavcodecDecoding
import MPEGDecoding
import StreamTestKit
import Testing

/// Ogg files put one behind the other: what is heard is what is heard of each, sample by sample.
@Suite(.timeLimit(.minutes(5)))
struct ChainTests {
    @Test(arguments: [
        ("oggenc -Q -q 3 in.wav -o", 44_100), ("oggenc -Q -q 1 in.wav -o", 8_000),
        ("opusenc --quiet in.wav", 48_000), ("opusenc --quiet --framesize 2.5 in.wav", 48_000),
        ("opusenc --quiet --framesize 60 --bitrate 16 in.wav", 48_000), ("flac -s --ogg in.wav -o", 44_100),
    ])
    func isHeardAsItsLinksAre(encoder: String, rate: Int) throws {
        let directory = TemporaryDirectory()
        var links: [[UInt8]] = []
        for (index, seconds) in [1.234, 0.817, 0.05].enumerated() {
            try Tool.run(
                "sox -R -r \(rate) -n -b 16 -c 2 in.wav synth \(seconds) sine \(300 + index * 171) gain -6",
                in: directory)
            try Tool.run("\(encoder) out\(index).ogg", in: directory)
            links.append(try Tool.readFile(directory.path + "/out\(index).ogg"))
        }
        let chain = try Self.heard(links.flatMap { $0 })
        #expect(chain == (try links.flatMap { try Self.heard($0) }))
        #expect(chain.count > rate * 2 * 2)
    }

    /// Frames that are heard of a file.
    static func heard(_ bytes: [UInt8]) throws -> [Float] {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        let stream = FileReading(bytes, pieceByteCount: 16_384).read(with: &parser) { $0.nextByteOffset }
        let format = try #require(parser.summary.format)
        let decoder = try DecoderCatalog.ofTests.makeDecoder(for: format, magicCookie: parser.summary.magicCookie)
        let decoded = try decodeAll(stream.packets, with: decoder)
        #expect(decoder.damagedPacketCount == 0)
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
        let table = try #require(parser.summary.packetTable)
        let count = Int(try #require(table.validFrameCount))
        let heard = decoded.dropFirst(table.primingFrameCount * 2).prefix(count * 2)
        #expect(heard.count == count * 2)
        return Array(heard)
    }
}

extension DecoderCatalog {
    /// Every decoder that there is.
    static var ofTests: DecoderCatalog {
        get throws {
            var catalog = DecoderCatalog.builtIn
            catalog.registerMPEG()
            catalog.registerLibraryDecoders(program: try .ofTests)
            return catalog
        }
    }
}
