import AudioCore
import AudioDecoding
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Splices whose numbers and packets are hurt, through real decoders.
@Suite(.timeLimit(.minutes(5)))
struct HostileSpliceTests {
    @Test(arguments: ["libvorbis a.ogg", "libopus a.ogg", "aac a.m4a", "libmp3lame a.mp3"])
    func areHarmless(encoding: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -R -r 48000 -n -b 16 -c 2 in.wav synth 1 sine 300:3000 gain -6", in: directory)
        try Tool.run("ffmpeg -v error -i in.wav -c:a \(encoding)", in: directory)
        let file = try Tool.readFile(directory.path + "/" + encoding.suffix(5))
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        let packets = FileReading(file, pieceByteCount: 16_384).read(with: &parser) { $0.nextByteOffset }.packets
        let splice = AudioPacketSplice.bytes(dropping: 700, of: Array(packets[9..<12]))
        let decoder = try DecoderCatalog.ofTests.makeDecoder(
            for: try #require(parser.summary.format), magicCookie: parser.summary.magicCookie)
        let whole = try decodeAll(packets, with: decoder)

        var spliceCount = 0
        for seed in 1...400 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = splice
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                // Half of it the numbers in front.
                let end = Bool.random(using: &generator) ? 32 : bytes.count
                let place = Int.random(in: 8..<end, using: &generator)
                bytes[place] = Bool.random(using: &generator) ? .random(in: 0 ... .max, using: &generator) : 0
            }
            if AudioPacketSplice(bytes.span.bytes) != nil { spliceCount += 1 }
            let frameCount = Int.random(in: 0...2_000, using: &generator)
            var output = [Float](repeating: .nan, count: frameCount * 2)
            var span = output.mutableSpan
            do throws(AudioDecodingError) {
                try decoder.decode(packet: bytes.span.bytes, frameCount: frameCount, into: &span)
                #expect(output.allSatisfy { $0.isFinite }, "seed \(seed)")
            } catch {
                #expect(error == .formatChanged, "seed \(seed)")
            }
        }
        #expect(spliceCount > 100)
        // And all is as ever after.
        decoder.reset(streamFrame: 0)
        #expect(try decodeAll(packets, with: decoder) == whole)
    }
}
