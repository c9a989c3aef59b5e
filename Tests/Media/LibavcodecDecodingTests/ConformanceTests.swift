import AudioCore
import LibavcodecDecoding
import StreamTestKit
import Testing

/// What a worker gives is what the ffmpeg program gives, to the sample; of AMR what sox gives.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var codec: Codec
        var sampleRate: Int
        var channels: Int
        var file: String
        var encode: String
        var decoder = ""
        var framesPerPacket = 0
        var bits = 16
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "AAC stereo", codec: .aac, sampleRate: 44_100, channels: 2, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a aac -b:a 128k out.m4a", framesPerPacket: 1024),
        Case(
            name: "AAC mono 8 kHz", codec: .aac, sampleRate: 8_000, channels: 1, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a aac -b:a 24k out.m4a", framesPerPacket: 1024),
        Case(
            name: "AAC 5.1", codec: .aac, sampleRate: 48_000, channels: 6, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a aac -b:a 256k out.m4a", framesPerPacket: 1024),
        Case(
            name: "ALAC 16 bit", codec: .alac, sampleRate: 44_100, channels: 2, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a alac out.m4a"),
        Case(
            name: "ALAC 24 bit 96 kHz", codec: .alac, sampleRate: 96_000, channels: 2, file: "out.m4a",
            encode: "ffmpeg -v error -i in.wav -c:a alac out.m4a", bits: 24),
        Case(
            name: "FLAC 16 bit", codec: .flac, sampleRate: 44_100, channels: 2, file: "out.flac",
            encode: "ffmpeg -v error -i in.wav -c:a flac out.flac"),
        Case(
            name: "FLAC 24 bit 8 channels", codec: .flac, sampleRate: 48_000, channels: 8, file: "out.flac",
            encode: "ffmpeg -v error -i in.wav -c:a flac out.flac", bits: 24),
        Case(
            name: "FLAC 24 bit 192 kHz", codec: .flac, sampleRate: 192_000, channels: 2, file: "out.flac",
            encode: "ffmpeg -v error -i in.wav -c:a flac -frame_size 4608 out.flac", bits: 24),
        Case(
            name: "FLAC 8 kHz mono", codec: .flac, sampleRate: 8_000, channels: 1, file: "out.flac",
            encode: "ffmpeg -v error -i in.wav -c:a flac out.flac"),
        Case(
            name: "Vorbis", codec: .vorbis, sampleRate: 44_100, channels: 2, file: "out.ogg",
            encode: "ffmpeg -v error -i in.wav -c:a libvorbis -q 5 out.ogg"),
        Case(
            name: "Vorbis 5.1", codec: .vorbis, sampleRate: 48_000, channels: 6, file: "out.ogg",
            encode: "ffmpeg -v error -i in.wav -c:a libvorbis -q 3 out.ogg"),
        Case(
            name: "Opus", codec: .opus, sampleRate: 48_000, channels: 2, file: "out.opus",
            encode: "ffmpeg -v error -i in.wav -c:a libopus -b:a 96k out.opus",
            decoder: "-c:a libopus -request_sample_fmt flt", framesPerPacket: 960),
        Case(
            name: "Opus speech mono", codec: .opus, sampleRate: 48_000, channels: 1, file: "out.opus",
            encode: "ffmpeg -v error -i in.wav -c:a libopus -b:a 12k -application voip -frame_duration 60 out.opus",
            decoder: "-c:a libopus -request_sample_fmt flt", framesPerPacket: 2880),
        Case(
            name: "Opus 5.1", codec: .opus, sampleRate: 48_000, channels: 6, file: "out.opus",
            encode: "ffmpeg -v error -i in.wav -c:a libopus -b:a 256k -mapping_family 1 out.opus",
            decoder: "-c:a libopus -request_sample_fmt flt", framesPerPacket: 960),
        Case(
            name: "AC-3 stereo", codec: .ac3, sampleRate: 48_000, channels: 2, file: "out.ac3",
            encode: "ffmpeg -v error -i in.wav -c:a ac3 -b:a 192k out.ac3", framesPerPacket: 1536),
        Case(
            name: "AC-3 5.1", codec: .ac3, sampleRate: 44_100, channels: 6, file: "out.ac3",
            encode: "ffmpeg -v error -i in.wav -c:a ac3 -b:a 384k out.ac3", framesPerPacket: 1536),
        Case(
            name: "AMR", codec: .amrNarrowband, sampleRate: 8_000, channels: 1, file: "out.amr",
            encode: "sox in.wav -C 7 -t amr-nb out.amr", framesPerPacket: 160),
    ]

    @Test(arguments: cases) func equalsTheReference(_ test: Case) throws {
        let song = try ForeignSong(
            codec: test.codec, sampleRate: test.sampleRate, channels: test.channels, file: test.file,
            encode: test.encode, decoder: test.decoder, framesPerPacket: test.framesPerPacket, bits: test.bits)
        #expect(song.packets.count > 10)
        let decoder = try song.makeDecoder()
        var output = try decodeAll(song.packets, with: decoder)
        #expect(output.count == song.frameCount * test.channels)
        if test.codec == .vorbis {
            // Nothing comes of the first packet; here that is silence of the packet's length. The last packet's
            // duration is cut to where the song ends.
            output.removeFirst(song.packets[0].frameCount * test.channels)
            #expect((0..<4_096 * test.channels).contains(song.reference.count - output.count))
        } else {
            #expect(output.count == song.reference.count)
        }
        #expect(largestDifference(output, song.reference) <= 1e-6)
        #expect(output.contains { abs($0) > 0.1 })
        #expect(decoder.damagedPacketCount == 0)
        #expect(decoder.restartCount == 0)
    }
}
