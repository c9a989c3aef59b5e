import AudioCore
import AudioFileStreamServices
import LibavcodecDecoding
import StreamTestKit
import Testing

/// AAC whose packets bear spectral band replication (SBR), without a word of it in the cookie.
@Suite(.timeLimit(.minutes(5)))
struct SpectralBandTests {
    static func aac(rate: Int, channels: Int) throws -> ForeignSong {
        try ForeignSong(
            codec: .aac, sampleRate: rate, channels: channels, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a aac -b:a 64k out.m4a", framesPerPacket: 1024)
    }

    /// One of `Tests/Samples`, whose headers say "AAC".
    static func sample(_ name: String) throws -> (summary: AudioStreamSummary, packets: [[UInt8]]) {
        let tests = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let song = parse(
            try Tool.readFile("\(tests)/Samples/\(name).aac"), with: AudioFileStream(), pieces: [1 << 16])
        var summary = AudioStreamSummary()
        for property in song.properties { summary.note(property) }
        return (summary, song.packets.map(\.bytes))
    }

    static func decodedFormat(of name: String) throws -> AudioStreamFormat {
        let (summary, packets) = try sample(name)
        return try TrialDecoding.decodedFormat(
            of: try #require(summary.format), magicCookie: summary.magicCookie, packets: Array(packets.prefix(8)),
            program: try .ofTests)
    }

    @Test func implicitSignallingIsFound() throws {
        let format = try Self.decodedFormat(of: "44100-stereo")
        #expect(format.codec == .aacHE)
        #expect(format.sampleRate == 44_100)
        #expect(format.framesPerPacket == 2048)
        #expect(format.channelsPerFrame == 2)
    }

    /// A mono stream may have parametric stereo in any packet.
    @Test(arguments: ["16000-mono", "16000-v2"]) func implicitSignallingOfMonoIsStereo(_ name: String) throws {
        let format = try Self.decodedFormat(of: name)
        #expect(format.codec == .aacHEv2)
        #expect(format.sampleRate == 16_000)
        #expect(format.channelsPerFrame == 2)
    }

    @Test func plainAACIsWhatItIs() throws {
        let song = try Self.aac(rate: 44_100, channels: 2)
        let format = try TrialDecoding.decodedFormat(
            of: song.format, magicCookie: song.magicCookie.plain, packets: song.packets.prefix(8).map(\.bytes),
            program: try .ofTests)
        #expect(format == song.format)
    }

    /// Other codecs are not tried: no worker is needed to say so.
    @Test func otherCodecsCostNothing() throws {
        let format = AudioStreamFormat(codec: .mpegLayer3, sampleRate: 44_100, channelsPerFrame: 2)
        let nothing = WorkerProgram(path: "/nonexistent")
        #expect(
            try TrialDecoding.decodedFormat(of: format, magicCookie: [], packets: [[1, 2, 3]], program: nothing)
                == format)
    }

    /// The codec says whether the bands are there; a packet or a cookie that says otherwise changes nothing about
    /// lengths.
    @Test(arguments: [Codec.aac, .aacHE, .aacHEv2], [[], [0x56, 0xE5, 0x00], [0x56, 0xE5, 0x98]] as [[UInt8]])
    func theCodecDecides(_ codec: Codec, signalled: [UInt8]) throws {
        let channels = codec == .aacHEv2 ? 1 : 2
        let song = try Self.aac(rate: 24_000, channels: channels)
        let isDouble = codec != .aac
        let frames = isDouble ? 2048 : 1024
        let format = AudioStreamFormat(
            codec: codec, sampleRate: isDouble ? 48_000 : 24_000, framesPerPacket: frames, channelsPerFrame: 2)
        let bands = try Self.sample(channels == 1 ? "48000-v2" : "48000-stereo").packets
        for bytes in [song.packets.map(\.bytes), bands] {
            let packets = bytes.map { (bytes: $0, frameCount: frames) }
            let decoder = try WorkerDecoder(
                format: format, magicCookie: song.magicCookie.plain + signalled, program: try .ofTests)
            let output = try decodeAll(packets, with: decoder)
            #expect(decoder.damagedPacketCount == 0)
            #expect(output.count == packets.count * frames * 2)
            #expect(output.contains { abs($0) > 0.1 })
        }
    }
}

extension [UInt8] {
    /// An AudioSpecificConfig without what follows its first two bytes: ffmpeg's encoder says there that no SBR is to
    /// be looked for.
    fileprivate var plain: [UInt8] { Array(prefix(2)) }
}
