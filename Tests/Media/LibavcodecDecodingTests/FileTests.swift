import AudioCore
import AudioDecoding
import AudioFileStreamServices
import LibavcodecDecoding
import StreamTestKit
import Testing

/// From the file to the frames that are heard: our parsers' cookies, packets and trims with the library's decoders.
@Suite(.timeLimit(.minutes(5)))
struct FileTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var encode: String
        var file: String
        var rate = 44_100
        var channels = 2
        var bits = 16
        /// Options of the reference decoder.
        var decoder = ""
        /// ffmpeg 5 does not cut what the edit list of MPEG-4 leaves out at the end; the source's length is right.
        var isCutByUsOnly = false
    }

    static let cases = [
        Case(
            testDescription: "AAC in MPEG-4", encode: "ffmpeg -v error -i in.wav -c:a aac out.m4a", file: "out.m4a",
            isCutByUsOnly: true),
        Case(testDescription: "ALAC in MPEG-4", encode: "ffmpeg -v error -i in.wav -c:a alac out.m4a", file: "out.m4a"),
        Case(
            testDescription: "ALAC 24 bit 5.1", encode: "ffmpeg -v error -i in.wav -c:a alac out.m4a", file: "out.m4a",
            rate: 48_000, channels: 6, bits: 24),
        Case(
            testDescription: "Opus in MPEG-4", encode: "ffmpeg -v error -i in.wav -c:a libopus out.mp4",
            file: "out.mp4", rate: 48_000, decoder: opusReference, isCutByUsOnly: true),
        Case(
            testDescription: "FLAC in MPEG-4", encode: "ffmpeg -v error -i in.wav -c:a flac -strict -2 out.mp4",
            file: "out.mp4"),
        Case(testDescription: "ADTS", encode: "ffmpeg -v error -i in.wav -c:a aac out.aac", file: "out.aac"),
        Case(testDescription: "FLAC", encode: "ffmpeg -v error -i in.wav -c:a flac out.flac", file: "out.flac"),
        Case(
            testDescription: "FLAC 24 bit 96 kHz", encode: "ffmpeg -v error -i in.wav -c:a flac out.flac",
            file: "out.flac", rate: 96_000, bits: 24),
        Case(testDescription: "FLAC in Ogg", encode: "ffmpeg -v error -i in.wav -c:a flac out.ogg", file: "out.ogg"),
        Case(testDescription: "Vorbis", encode: "ffmpeg -v error -i in.wav -c:a libvorbis out.ogg", file: "out.ogg"),
        Case(
            testDescription: "Vorbis 5.1", encode: "ffmpeg -v error -i in.wav -c:a libvorbis out.ogg", file: "out.ogg",
            rate: 48_000, channels: 6),
        Case(
            testDescription: "Opus", encode: "ffmpeg -v error -i in.wav -c:a libopus out.opus", file: "out.opus",
            rate: 48_000, decoder: opusReference),
        Case(
            testDescription: "AC-3", encode: "ffmpeg -v error -i in.wav -c:a ac3 out.ac3", file: "out.ac3",
            rate: 48_000),
        Case(
            testDescription: "AMR", encode: "sox in.wav -C 7 -t amr-nb out.amr", file: "out.amr", rate: 8_000,
            channels: 1),
    ]

    private static let opusReference = "-c:a libopus -request_sample_fmt flt"

    @Test(arguments: cases) func equalsWhatFFmpegPlays(_ test: Case) throws {
        let directory = TemporaryDirectory()
        let remix = (1...test.channels).map { "\(($0 - 1) % 3 + 1),4v0.2" }.joined(separator: " ")
        try Tool.run(
            "sox -R -r \(test.rate) -n -b \(test.bits) in.wav synth 2.3 sine 220 sine 331 sine 100-\(test.rate / 3) "
                + "whitenoise remix \(remix) tremolo 3 80 gain -6", in: directory)
        try Tool.run(test.encode, in: directory)
        let isSpeech = test.file.hasSuffix(".amr")
        try Tool.run(
            isSpeech
                ? "sox -t amr-nb \(test.file) -t f32 out.raw"
                : "ffmpeg -v error \(test.decoder) -i \(test.file) -f f32le out.raw", in: directory)
        let reference = try Tool.readFile(directory.path + "/out.raw").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        let song = try parseAtHand(try Tool.readFile(directory.path + "/" + test.file))
        let format = try #require(song.summary.format)
        let decoder = try WorkerDecoder(
            format: format, magicCookie: song.summary.magicCookie, program: try .ofTests)
        let decoded = try decodeAll(song.packets, with: decoder)
        #expect(decoder.damagedPacketCount == 0)
        // The first packet of a stream with nothing to be trimmed is heard.
        let start = (song.summary.packetTable?.primingFrameCount ?? 0) * test.channels
        let count = song.summary.packetTable?.validFrameCount.map { Int($0) * test.channels } ?? (decoded.count - start)
        let heard = decoded.dropFirst(start).prefix(count)
        if test.isCutByUsOnly {
            #expect(heard.count == test.rate * 23 / 10 * test.channels)
            #expect(reference.count >= heard.count)
        } else {
            #expect(heard.count == reference.count)
        }
        #expect(largestDifference(heard, reference) <= 1e-6)
        #expect(heard.contains { abs($0) > 0.1 })
    }

    private struct ParsedFile {
        var summary: AudioStreamSummary
        var packets: [(bytes: [UInt8], frameCount: Int)]
    }

    /// Parses a file that is at hand whole: bytes from wherever they are asked for.
    private func parseAtHand(_ bytes: [UInt8]) throws -> ParsedFile {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        var recorder = EventRecorder()
        while parser.nextByteOffset >= 0, parser.nextByteOffset < Int64(bytes.count) {
            let start = Int(parser.nextByteOffset)
            let end = min(bytes.count, start + 16_384)
            try parser.parse(bytes.span.bytes.extracting(start..<end), discontinuity: false, into: &recorder)
        }
        try parser.finish(into: &recorder)
        let stream = ParsedStream(events: recorder.events)
        return ParsedFile(summary: parser.summary, packets: stream.packets)
    }
}
