import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files made of chunks, hurt at random and read from wherever the parser wants bytes: it comes to an end, and stays
/// within the file.
@Suite(.timeLimit(.minutes(5)))
struct ChunkMutationTests {
    static let runs = 3_000

    private static let files: [[UInt8]] = {
        var first = AIFFWriter()
        (first.isAudioFirst, first.frameCount) = (true, 900)
        first.trailing = AIFFWriter.chunk("NAME", Array("Title".utf8))
        var caf = CAFWriter()
        (caf.type, caf.bytesPerPacket, caf.framesPerPacket) = ("ac-3", 0, 1_536)
        caf.trailing =
            CAFWriter.table([300, 40, 900, 20, 700], valid: 7_000, priming: 100) + CAFWriter.info([("title", "T")])
        var plain = CAFWriter()
        plain.between = CAFWriter.chunk("free", payload(100))
        var wide = WAVEWriter()
        wide.form = "RF64"
        wide.trailing = WAVEWriter.info([("INAM", "Title")])
        return [
            first.file(data: payload(3_600)), caf.file(data: payload(1_960)), plain.file(data: payload(3_000)),
            wide.file(data: payload(3_000)), NextSunWriter().file(data: payload(3_000)),
        ]
    }()

    @Test func everyWayThroughAFileEnds() {
        var played = 0
        var refused = 0
        for seed in 1...UInt64(Self.runs) {
            var generator = SeededGenerator(seed: seed)
            var bytes = Self.files.randomElement(using: &generator)!
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let place = Int.random(in: 0..<min(bytes.count, 400), using: &generator)
                bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0 ... .max, using: &generator)]
                    .randomElement(using: &generator)!
            }
            if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            let piece = [1, 13, 500, 10_000].randomElement(using: &generator)!
            var recorder = EventRecorder()
            var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
            var brought = 0
            do throws(AudioStreamError) {
                while parser.nextByteOffset < Int64(bytes.count) {
                    #expect(parser.nextByteOffset >= 0, "seed \(seed)")
                    let offset = Int(parser.nextByteOffset)
                    let end = min(bytes.count, offset + piece)
                    brought += end - offset
                    // Once through, back to the audio, and once through what is behind it again.
                    guard brought <= 3 * bytes.count + 100 else {
                        Issue.record("seed \(seed) goes round in circles")
                        break
                    }
                    try parser.parse(bytes.span.bytes.extracting(offset..<end), discontinuity: false, into: &recorder)
                }
                try parser.finish(into: &recorder)
                played += 1
            } catch {
                refused += 1
            }
            let audioByteCount = ParsedStream(events: recorder.events).packets.reduce(0) { $0 + $1.bytes.count }
            #expect(audioByteCount <= bytes.count && recorder.strayPacketCount == 0, "seed \(seed)")
        }
        #expect(played > 500 && refused > 500)
    }
}
