import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists that are made to hurt, and cut files that were hurt.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditHostileTests {
    private static func table(_ stream: ParsedStream) -> Int64 { stream.table?.validFrameCount ?? -1 }

    /// A list of numbers of any kind is harmless, and what is given is bounded by the file.
    @Test(arguments: EditedMedia.all) func listsOfNonsense(media: EditedMedia) {
        var followed = 0
        for seed in 1...300 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var writer = media.writer
            writer.movieTimescale = [1, 7, 1_000, writer.timescale, .max].randomElement(using: &generator)!
            writer.edits = (0..<Int.random(in: 2...40, using: &generator)).map { _ in
                let time =
                    [0, 5, Int32(media.frameCount), -1, .max, .random(in: 0...50_000, using: &generator)]
                    .randomElement(using: &generator)!
                let length: [UInt32] = [0, 1, 300, .max, .random(in: 0...50_000, using: &generator)]
                return (length.randomElement(using: &generator)!, time)
            }
            let file = writer.file(movieFirst: false)
            let stream = parseFile(file).stream
            let byteCount = media.soundByteCount(stream)
            #expect(byteCount <= 8 * file.count, "seed \(seed)")
            let all = stream.packets.reduce(0) { $0 + Int64($1.bytes.count) }
            #expect(all - Int64(byteCount) <= AudioFileStreamLimits.editedSilenceByteCount)
            #expect(parseFile(file, pieces: repeatElement(501, count: .max)).stream == stream, "seed \(seed)")
            guard stream.toldProblems == [] else { continue }
            followed += 1
            #expect(stream.announcedTable == stream.table, "\(media.name), seed \(seed)")
        }
        #expect(followed > 10)
    }

    /// What a list asks for that would be more than the file is worth is told, and not followed.
    @Test func repetitionIsBounded() {
        let media = EditedMedia.all[1]
        let end = media.frameCount
        let twice = parseFile(media.file([0..<end, 0..<end])).stream
        #expect(twice.toldProblems == [] && Self.table(twice) == 2 * end)
        let often = parseFile(media.file(Array(repeating: 0..<end, count: 9))).stream
        #expect(often.toldProblems.count == 1 && often.packets.count == media.writer.packets.count)
        // Of so many frames each is decoded in a packet of its own.
        var short = media
        short.writer.packets.removeLast(30)
        let single = parseFile(short.file((0..<250).map { 5_000 + 2 * $0..<5_001 + 2 * $0 })).stream
        #expect(single.toldProblems.count == 1 && single.packets.count == 10)
    }

    /// A table that announces more than there is does not let a list ask for more either.
    @Test func repetitionOfWhatIsThereIsBounded() {
        var media = EditedMedia.all[1]
        media.writer.packets = [payload(20_000)] + (0..<20).map { payload(20_000, seed: $0) }
        let file = media.file((0..<100).map { 3 * $0..<3 * $0 + 1 })
        let cut = Array(file.prefix(22_500))
        for stream in [parse(cut), parseFile(cut).stream] {
            #expect(stream.packets.count > 5)
            #expect(stream.packets.reduce(0) { $0 + $1.bytes.count } <= 8 * cut.count)
            #expect(stream.toldProblems.contains { $0.description.contains("8 times the file") })
        }
        #expect(splitThatDiffers(cut, from: parse(cut)) == nil)
    }

    /// Where the file ends before the packets do, what is there is given.
    @Test(arguments: EditedMedia.all) func cutShort(media: EditedMedia) {
        let stretches = [100..<1_000, 1_900..<3_000, 3_200..<media.frameCount] as [Range<Int64>]
        let file = media.file(stretches, silences: [0, 5_000])
        let whole = parse(file)
        for length in stride(from: 1_000, to: file.count, by: 397) {
            let cut = Array(file.prefix(length))
            let stream = parse(cut)
            guard stream.failure == nil else { continue }
            let packets = stream.packets
            #expect(packets.map(\.bytes) == whole.packets.prefix(packets.count).map(\.bytes), "\(length)")
            let given = packets.reduce(0) { $0 + Int64($1.frameCount) }
            #expect(Self.table(stream) == max(0, given - 100), "\(length)")
            #expect(splitThatDiffers(cut, from: stream) == nil, "\(length)")
        }
    }

    @Test func hurtFilesAreHarmless() {
        for seed in 1...4_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let media = EditedMedia.all.randomElement(using: &generator)!
            let stretches = media.stretches(using: &generator)
            let silences = seed % 2 == 0 ? [] : EditedMedia.silences(between: stretches.count, using: &generator)
            var bytes = media.file(stretches, silences: silences, movieFirst: Bool.random(using: &generator))
            let tables = Self.place(of: "moov", in: bytes) ?? 0
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let place = min(bytes.count - 1, tables + Int.random(in: 0..<900, using: &generator))
                bytes[place] =
                    Bool.random(using: &generator)
                    ? [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
                    : bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            let size = Int.random(in: 1...2_000, using: &generator)
            let pieces = repeatElement(size, count: .max)
            let stream = parse(bytes)
            #expect(parse(bytes, with: AudioFileStream(), pieces: pieces) == stream, "seed \(seed)")
            let atHand = parseFile(bytes).stream
            #expect(parseFile(bytes, pieces: pieces).stream == atHand, "seed \(seed)")
            for given in [stream, atHand] {
                #expect(media.soundByteCount(given) <= 8 * bytes.count, "seed \(seed)")
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
