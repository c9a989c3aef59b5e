import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists that are made to hurt, and trimmed files that were hurt.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditHostileTests {
    /// A list of numbers of any kind is harmless, and all of the media is given, once.
    @Test(arguments: EditedMedia.all) func listsOfNonsense(media: EditedMedia) {
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var writer = media.writer
            writer.movieTimescale = [0, 1, 7, 1_000, writer.timescale, .max].randomElement(using: &generator)!
            writer.edits = (0..<[1, 1, 2, 40].randomElement(using: &generator)!).map { _ in
                let time =
                    [0, 5, Int32(media.frameCount), -1, .min, .max, .random(in: 0...50_000, using: &generator)]
                    .randomElement(using: &generator)!
                let length: [UInt32] = [0, 1, 300, .max, .random(in: 0...50_000, using: &generator)]
                return (length.randomElement(using: &generator)!, time)
            }
            writer.editRates = [0: [0x1_0000, 0x1_0000, 0, .max].randomElement(using: &generator)!]
            for file in [writer.file(movieFirst: seed % 2 == 0), writer.fragmented(packetsPerFragment: 3)] {
                let stream = parseFile(file).stream
                #expect(stream.failure == nil, "seed \(seed)")
                #expect(stream.packetBytes.flatMap { $0 } == media.packets.flatMap { $0 }, "seed \(seed)")
                let decoded = stream.packets.reduce(0) { $0 + Int64($1.frameCount) }
                let table = stream.table
                let sum = table.map { Int64($0.primingFrameCount + $0.remainderFrameCount) + ($0.validFrameCount ?? 0) }
                #expect(sum == decoded, "seed \(seed)")
                #expect(parseFile(file, pieces: repeatElement(501, count: .max)).stream == stream, "seed \(seed)")
            }
        }
    }

    /// Where the file ends before the packets do, what is there is given.
    @Test(arguments: EditedMedia.all) func cutShort(media: EditedMedia) {
        let writer = media.trimmed(to: 100..<media.frameCount)
        for file in [writer.file(), writer.fragmented(packetsPerFragment: 5)] {
            let whole = parse(file).packetBytes.flatMap { $0 }
            for length in stride(from: 1_000, to: file.count, by: 397) {
                let cut = Array(file.prefix(length))
                let stream = parse(cut)
                guard stream.failure == nil else { continue }
                #expect(whole.starts(with: stream.packetBytes.flatMap { $0 }), "\(length)")
                let given = stream.packets.reduce(0) { $0 + Int64($1.frameCount) }
                #expect(stream.table?.validFrameCount == max(0, given - 100), "\(length)")
                #expect(splitThatDiffers(cut, from: stream) == nil, "\(length)")
            }
        }
    }

    @Test func hurtFilesAreHarmless() {
        for seed in 1...4_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let media = EditedMedia.all.randomElement(using: &generator)!
            let writer = media.trimmed(to: .random(in: 0...900, using: &generator)..<media.frameCount - 9)
            let isFragmented = Bool.random(using: &generator)
            var bytes =
                isFragmented
                ? writer.fragmented(packetsPerFragment: .random(in: 1...8, using: &generator))
                : writer.file(movieFirst: Bool.random(using: &generator))
            let tables = Self.place(of: "moov", in: bytes) ?? 0
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let place = min(bytes.count - 1, tables + Int.random(in: 0..<900, using: &generator))
                bytes[place] =
                    Bool.random(using: &generator)
                    ? [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
                    : bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            let pieces = repeatElement(Int.random(in: 1...2_000, using: &generator), count: .max)
            let stream = parse(bytes)
            #expect(parse(bytes, with: AudioFileStream(), pieces: pieces) == stream, "seed \(seed)")
            let atHand = parseFile(bytes).stream
            #expect(parseFile(bytes, pieces: pieces).stream == atHand, "seed \(seed)")
            for given in [stream, atHand] {
                #expect(given.packets.reduce(0) { $0 + $1.bytes.count } <= bytes.count, "seed \(seed)")
                let isSound = given.packets.allSatisfy {
                    (1...Limits.packetFrameCount).contains($0.frameCount) && $0.bytes.count <= Limits.packetByteCount
                }
                #expect(isSound, "seed \(seed)")
            }
            Self.seekAnywhere(bytes, packetCount: atHand.packets.count, &generator)
        }
    }

    private static func seekAnywhere(_ bytes: [UInt8], packetCount: Int, _ generator: inout SeededGenerator) {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        var recorder = EventRecorder()
        guard (try? parser.bring(bytes, upTo: bytes.count, into: &recorder)) != nil else { return }
        for _ in 0..<4 {
            let number = Int64.random(in: 0...Int64(packetCount), using: &generator)
            _ = try? parser.packet(containingFrame: number * 700)
            _ = try? parser.firstFrame(ofPacket: number)
            _ = try? parser.packet(atByteOffset: number * 100)
            guard let place = try? parser.seek(toPacket: number) else { continue }
            #expect(place.packet >= 0 && place.byteOffset >= 0)
            try? parser.bring(bytes, upTo: bytes.count, into: &recorder)
        }
    }

    private static func place(of name: String, in bytes: [UInt8]) -> Int? {
        let name = Array(name.utf8)
        return bytes.indices.first { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }
    }
}
