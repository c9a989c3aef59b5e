import AudioCore
import LibavcodecDecoding
import StreamTestKit
import Testing

/// AAC whose packets bear spectral band replication (SBR), with and without a word of it in the cookie.
///
/// Plain AAC is given the mark of such a stream: a fill element that says "SBR" and holds nothing. A decoder must
/// double the rate for it, and finds no new bands. Streams with bands are in the corpus (`Scripts/make-corpus`).
@Suite(.timeLimit(.minutes(5)))
struct SpectralBandTests {
    static func aac(rate: Int, channels: Int) throws -> ForeignSong {
        try ForeignSong(
            codec: .aac, sampleRate: rate, channels: channels, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a aac -b:a 64k out.m4a", framesPerPacket: 1024)
    }

    /// The packet with a fill element before its end mark (14496-3 tables 4.3, 4.11 and 4.57).
    static func marked(_ packet: [UInt8]) throws -> [UInt8] {
        var bits = packet.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        // ID_END is all ones, and only zeros follow it.
        while bits.last == 0 { bits.removeLast() }
        try #require(bits.suffix(3) == [1, 1, 1])
        bits.removeLast(3)
        // ID_FIL, two bytes: EXT_SBR_DATA, no header, nothing.
        bits += [1, 1, 0] + [0, 0, 1, 0] + [1, 1, 0, 1] + Array(repeating: 0, count: 12) + [1, 1, 1]
        while bits.count % 8 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    @Test func implicitSignallingIsFound() throws {
        let song = try Self.aac(rate: 22_050, channels: 2)
        let packets = try song.packets.prefix(8).map { try Self.marked($0.bytes) }
        let format = try TrialDecoding.decodedFormat(
            of: song.format, magicCookie: song.magicCookie.plain, packets: packets, program: try .ofTests)
        #expect(format.codec == .aacHE)
        #expect(format.sampleRate == 44_100)
        #expect(format.framesPerPacket == 2048)
        #expect(format.channelsPerFrame == 2)
    }

    /// A mono stream may have parametric stereo in any packet.
    @Test func implicitSignallingOfMonoIsStereo() throws {
        let song = try Self.aac(rate: 16_000, channels: 1)
        let packets = try song.packets.prefix(8).map { try Self.marked($0.bytes) }
        let format = try TrialDecoding.decodedFormat(
            of: song.format, magicCookie: song.magicCookie.plain, packets: packets, program: try .ofTests)
        #expect(format.codec == .aacHEv2)
        #expect(format.sampleRate == 32_000)
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

    /// The codec says whether the bands are there; a packet that says otherwise changes nothing about lengths.
    @Test(arguments: [Codec.aac, .aacHE, .aacHEv2]) func theCodecDecides(_ codec: Codec) throws {
        let channels = codec == .aacHEv2 ? 1 : 2
        let song = try Self.aac(rate: 24_000, channels: channels)
        let isDouble = codec != .aac
        let frames = isDouble ? 2048 : 1024
        let format = AudioStreamFormat(
            codec: codec, sampleRate: isDouble ? 48_000 : 24_000, framesPerPacket: frames, channelsPerFrame: 2)
        for marks in [false, true] {
            let packets = try song.packets.map { packet in
                (bytes: marks ? try Self.marked(packet.bytes) : packet.bytes, frameCount: frames)
            }
            let decoder = try WorkerDecoder(
                format: format, magicCookie: song.magicCookie.plain, program: try .ofTests)
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
