import AudioCore
import LibavcodecDecoding
import StreamTestKit
import Testing

/// FLAC by libFLAC, which is asked for integers: where libavcodec has a decoder too, both give the same.
@Suite(.timeLimit(.minutes(5)))
struct LibFLACDecoderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var options: String
        var sampleRate = 44_100
        var channels = 2
        var bits = 16
        var testDescription: String { "\(bits) bits, \(channels) channels, \(options)" }
    }

    static let cases = [
        Case(options: "ffmpeg -v error -i in.wav -c:a flac"), Case(options: "flac -s -0 in.wav -o"),
        Case(options: "flac -s -8 -p -e in.wav -o", bits: 24),
        Case(options: "flac -s -5 --lax -l 32 -b 16384 in.wav -o", bits: 24),
        Case(options: "flac -s -b 16 in.wav -o"),
        Case(options: "ffmpeg -v error -i in.wav -c:a flac", sampleRate: 48_000, channels: 8, bits: 24),
        Case(options: "ffmpeg -v error -i in.wav -c:a flac -frame_size 4608", sampleRate: 192_000, bits: 24),
        Case(options: "flac -s in.wav -o", sampleRate: 8_000, channels: 1, bits: 8),
    ]

    private static func song(_ test: Case) throws -> ForeignSong {
        try ForeignSong(
            codec: .flac, sampleRate: test.sampleRate, channels: test.channels, seconds: 1.7, file: "out.flac",
            encode: test.options + " out.flac", bits: test.bits)
    }

    private static func makeDecoder(_ format: AudioStreamFormat, _ cookie: [UInt8]) throws -> any LibraryDecoder {
        let setup = LibraryDecoderSetup(
            codec: .flac, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame, magicCookie: cookie,
            outputsIntegers: true)
        return try CodecLibraries().makeDecoder(setup)
    }

    /// All frames of the packets, as floats; and how many of them were damaged.
    private static func decode(
        _ packets: some Sequence<(bytes: [UInt8], frameCount: Int)>, with decoder: any LibraryDecoder
    ) -> (samples: [Float], damagedCount: Int) {
        var frames = DecodedFrames(headerByteCount: 0)
        var (samples, damagedCount): ([Float], Int) = ([], 0)
        for packet in packets {
            frames.removeAll()
            let isWhole = packet.bytes.withUnsafeBytes { decoder.decode($0, into: &frames) }
            if !isWhole { damagedCount += 1 }
            frames.withMessage { samples += $0.bindMemory(to: Int32.self).map { Float($0) * 0x1p-31 } }
        }
        return (samples, damagedCount)
    }

    @Test(arguments: cases) func equalsTheReference(_ test: Case) throws {
        let song = try Self.song(test)
        let decoder = try Self.makeDecoder(song.format, song.magicCookie)
        let (samples, damagedCount) = Self.decode(song.packets, with: decoder)
        let isSame = samples == song.reference
        #expect(isSame && samples.contains { abs($0) > 0.1 })
        #expect(damagedCount == 0)
    }

    /// Of a packet that is hurt nothing comes; those before and behind it are what they are, in any order.
    @Test func damageGivesNothing() throws {
        let song = try Self.song(Case(options: "flac -s -8 in.wav -o", bits: 24))
        let decoder = try Self.makeDecoder(song.format, song.magicCookie)
        let whole = song.packets.map { Self.decode([$0], with: decoder).samples }
        #expect(whole.flatMap { $0 } == song.reference)
        var generator = SeededGenerator(seed: 5)
        for round in 0..<400 {
            let place = Int.random(in: song.packets.indices, using: &generator)
            var (bytes, _) = song.packets[place]
            switch round % 4 {
            case 0: bytes.removeLast(.random(in: 1...bytes.count, using: &generator))
            case 1: bytes = bytes.map { _ in .random(in: 0 ... .max, using: &generator) }
            default: bytes[.random(in: 0..<bytes.count, using: &generator)] ^= 1 << (round % 8)
            }
            // A check of 16 bits finds all that is one byte's.
            let hurt = Self.decode([(bytes, 0)], with: decoder)
            #expect(hurt.samples.isEmpty && hurt.damagedCount == 1, "round \(round)")
            let (samples, damagedCount) = Self.decode([song.packets[place]], with: decoder)
            #expect(samples == whole[place] && damagedCount == 0, "round \(round)")
        }
    }

    @Test func aCookieThatIsNoneIsRefused() throws {
        let format = AudioStreamFormat(codec: .flac, sampleRate: 44_100, channelsPerFrame: 2)
        for cookie in [[], [1, 2, 3], [UInt8](repeating: 0, count: 33)] {
            #expect(throws: LibraryDecoderError.self) { try Self.makeDecoder(format, cookie) }
        }
    }
}
