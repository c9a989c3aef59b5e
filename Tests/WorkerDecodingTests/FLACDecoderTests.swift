import AudioCore
import AudioDecoding
import StreamTestKit
import Testing

/// The decoder of FLAC in this process: what the library gives, where the library has a decoder for it.
struct FLACDecoderTests {
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

    @Test(arguments: cases) func equalsTheReference(_ test: Case) throws {
        let song = try Self.song(test)
        let decoder = try FLACDecoder(format: song.format, magicCookie: song.magicCookie)
        #expect(decoder.bitsPerSample == test.bits && !decoder.givesIntegers)
        let output = try decodeAll(song.packets, with: decoder)
        let isSame = output == song.reference
        #expect(isSame && output.contains { abs($0) > 0.1 })
        #expect(decoder.damagedPacketCount == 0)
    }

    @Test func damageIsSilence() throws {
        let song = try Self.song(Case(options: "flac -s -8 in.wav -o", bits: 24))
        let decoder = try FLACDecoder(format: song.format, magicCookie: song.magicCookie)
        var generator = SeededGenerator(seed: 5)
        for round in 0..<400 {
            var (bytes, frameCount) = song.packets[round % song.packets.count]
            switch round % 4 {
            case 0: bytes.removeLast(.random(in: 1...bytes.count, using: &generator))
            case 1: bytes = bytes.map { _ in .random(in: 0 ... .max, using: &generator) }
            default: bytes[.random(in: 0..<bytes.count, using: &generator)] ^= 1 << (round % 8)
            }
            if round % 7 == 0 { frameCount = .random(in: 0...Limits.packetFrameCount, using: &generator) }
            let output = try decodeAll([(bytes, frameCount)], with: decoder)
            // A check of 16 bits finds all that is one byte's.
            #expect(output.allSatisfy { $0 == 0 }, "round \(round)")
        }
        #expect(decoder.damagedPacketCount > 390)
        // And all is as ever after.
        #expect(try decodeAll(song.packets, with: decoder) == song.reference)
    }

    /// More frames than were promised are cut, fewer are followed by silence.
    @Test func aPacketYieldsItsFrames() throws {
        let song = try Self.song(Case(options: "flac -s in.wav -o"))
        let decoder = try FLACDecoder(format: song.format, magicCookie: song.magicCookie)
        let packet = song.packets[0]
        #expect(try decodeAll([(packet.bytes, 100)], with: decoder) == Array(song.reference[..<200]))
        #expect(decoder.damagedPacketCount == 0)
        let long = try decodeAll([(packet.bytes, packet.frameCount + 10)], with: decoder)
        #expect(long == song.reference[..<(packet.frameCount * 2)] + [Float](repeating: 0, count: 20))
        #expect(decoder.damagedPacketCount == 1)
    }

    @Test func aCookieThatIsNoneIsRefused() {
        let format = AudioStreamFormat(codec: .flac, sampleRate: 44_100, channelsPerFrame: 2)
        var writer = FLACWriter()
        writer.channels = 3
        for cookie in [[], [UInt8](repeating: 0, count: 34), writer.streamInfo] {
            #expect(throws: AudioDecodingError.unsupportedFormat("FLAC without its STREAMINFO")) {
                try FLACDecoder(format: format, magicCookie: cookie)
            }
        }
    }
}
