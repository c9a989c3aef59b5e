import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists that go back in a movie in fragments: with all of the file at hand the same comes out as where tables tell
/// all.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditReturnTests {
    /// In another order, and one of them twice; nil where two would be one.
    private static func stretches(_ media: EditedMedia, _ generator: inout SeededGenerator) -> [Range<Int64>]? {
        var stretches = media.stretches(using: &generator)
        stretches.append(stretches[0])
        stretches.swapAt(1, stretches.count - 2)
        let isJoined = zip(stretches, stretches.dropFirst()).contains { $0.upperBound == $1.lowerBound }
        return isJoined ? nil : stretches
    }

    private static func fragments(
        _ media: EditedMedia, _ stretches: [Range<Int64>], silences: [Int] = [], seed: UInt64
    ) -> [UInt8] {
        // More than `moov` describes must be played: else where the edits end says nothing.
        let length = stretches.reduce(0) { max($0, $1.upperBound) } - stretches.reduce(.max) { min($0, $1.lowerBound) }
        let isDescribed =
            seed % 3 == 0 && media.writer.packets.count > 10 && media.writer.constantSize == nil
            && length > media.starts.last! / 3
        return media.fragments(
            stretches, silences: silences, packetsPerFragment: Int(1 + seed % 8), described: isDescribed ? 3 : 0)
    }

    @Test(arguments: EditedMedia.all) func sameAsWithTables(media: EditedMedia) throws {
        var followed = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            guard let stretches = Self.stretches(media, &generator) else { continue }
            followed += 1
            let silences = seed % 2 == 0 ? [] : EditedMedia.silences(between: stretches.count, using: &generator)
            let file = Self.fragments(media, stretches, silences: silences, seed: seed)
            let stream = parseFile(file).stream
            MPEG4EditTests.check(stream, media, stretches, silences: silences)
            let sizes = sequence(state: ()) { _ in Int.random(in: 1...5_000, using: &generator) }
            #expect(parseFile(file, pieces: sizes).stream == stream, "\(media) \(seed)")
            #expect(parseFile(file, pieces: repeatElement(Int(seed * 7), count: .max)).stream == stream)
            if seed < 4 { #expect(parseFile(file, pieces: repeatElement(1, count: .max)).stream == stream) }
            // Of linear PCM packets end where runs do.
            guard !media.starts.isEmpty else { continue }
            let tables = parseFile(media.file(stretches, silences: silences)).stream
            #expect(stream.packetBytes == tables.packetBytes, "\(media) \(seed)")
            #expect(stream.packets.map(\.frameCount) == tables.packets.map(\.frameCount))
            #expect(stream.table == tables.table)
        }
        #expect(followed > 10)
    }

    @Test(arguments: EditedMedia.all) func seeksAreExact(media: EditedMedia) throws {
        for seed in 300...306 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            guard let stretches = Self.stretches(media, &generator) else { continue }
            let silences = seed % 2 == 0 ? [] : EditedMedia.silences(between: stretches.count, using: &generator)
            let file = Self.fragments(media, stretches, silences: silences, seed: seed)
            let packets = parseFile(file).stream.packets
            // After all of the file, and in the middle of it.
            for end in [file.count, file.count / 2] {
                try MPEG4EditFragmentTests.checkSeeks(file, upTo: end, packets, .file)
            }
        }
    }

    /// The fragment with the packets that the splice needs, no other.
    @Test func oneGoesBackNoFurtherThanNeeded() throws {
        let media = EditedMedia.all[0]
        // Packets 0 to 17 in fragments of five; 7 (after 6) to 9.
        let file = media.fragments([0..<18_000, 8_000..<10_000, 30_000..<31_000])
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, pieces: 100, into: &recorder)
        for (packet, expected) in [(0, 0), (16, 15), (17, 15), (18, 18), (20, 18), (21, 21)] {
            #expect(try parser.place(ofPacket: Int64(packet)).packet == Int64(expected), "\(packet)")
        }
        let starts = Self.places(of: "moof", in: file)
        #expect(try parser.place(ofPacket: 18).byteOffset == Int64(starts[1]))
        #expect(try parser.place(ofPacket: 21).byteOffset == Int64(starts[5]))
    }

    private static func places(of name: String, in bytes: [UInt8]) -> [Int] {
        let name = Array(name.utf8)
        return bytes.indices.filter { bytes[$0] == name[0] && bytes[$0...].starts(with: name) }.map { $0 - 4 }
    }

    /// What goes by cannot be had twice.
    @Test func aPureStreamIsTold() {
        for stretches in [
            [20_000..<25_000, 1_000..<2_000], [1_000..<5_000, 4_999..<9_000], [0..<3_000, 0..<3_000],
        ] as [[Range<Int64>]] {
            let file = EditedMedia.all[0].fragments(stretches)
            let stream = parse(file)
            #expect(stream.packetBytes == EditedMedia.all[0].packets && stream.toldProblems.count == 1)
            #expect(splitThatDiffers(file, from: stream) == nil)
            MPEG4EditTests.check(parseFile(file).stream, EditedMedia.all[0], stretches)
        }
    }

    // MARK: Ends

    /// What an edit has behind the media's end is not there, and what follows is.
    @Test(arguments: EditedMedia.all + [EditedMedia.unevenlyTimed])
    func editsThatEndBehindTheMedia(media: EditedMedia) throws {
        let end = media.frameCount
        for (list, heard, silences) in [
            ([100..<2 * end, 50..<3_000], [100..<end, 50..<3_000], []),
            ([100..<2 * end, 50..<3_000, 20..<2 * end], [100..<end, 50..<3_000, 20..<end], [500, 5_000]),
            ([100..<900, end + 50..<end + 3_000, 50..<3_000], [100..<900, 50..<3_000], []),
            // In what the last packet decodes to.
            ([100..<end - 3, end + 50..<end + 90, 50..<3_000], [100..<end - 3, 50..<3_000], []),
            ([100..<end + 1, 50..<900, end - 5..<end + 1, 0..<9], [100..<end, 50..<900, end - 5..<end, 0..<9], [7]),
        ] as [([Range<Int64>], [Range<Int64>], [Int])] {
            let file = media.fragments(list, silences: silences)
            let stream = parseFile(file).stream
            let expected = parseFile(media.file(heard, silences: silences)).stream
            #expect(stream.failure == nil && stream.toldProblems == [])
            #expect(media.frames(of: stream.packets) == media.frames(of: expected.packets), "\(media) \(list)")
            #expect(stream.table?.validFrameCount == expected.table?.validFrameCount)
            #expect(stream.table?.primingFrameCount == expected.table?.primingFrameCount)
            #expect(parseFile(file, pieces: repeatElement(33, count: .max)).stream == stream)
            guard !media.starts.isEmpty else { continue }
            #expect(stream.packetBytes == expected.packetBytes)
            try MPEG4EditFragmentTests.checkSeeks(file, upTo: file.count, stream.packets, .file)
        }
    }

    @Test func lastStretchMayGoToTheEnd() {
        var writer = MPEG4Writer()
        writer.movieTimescale = 44_100
        writer.edits = [(2_000, 30_000), (0, 20_000)]
        let file = writer.fragmented(packetsPerFragment: 6)
        let stream = parseFile(file).stream
        #expect(stream.announcedTable?.validFrameCount == nil)
        #expect(stream.table?.validFrameCount == 2_000 + 40_960 - 20_000 && stream.toldProblems == [])
        #expect(stream.table == parseFile(writer.file()).stream.table)
        #expect(parseFile(file, pieces: repeatElement(77, count: .max)).stream == stream)
    }

    // MARK: Hostile ones

    /// All of one large fragment is read each time that it is gone back in.
    @Test func whatIsReadAgainIsBounded() {
        var media = EditedMedia.all[0]
        media.writer.packets = (0..<400).map { payload(1_000, seed: UInt64($0)) }
        for count in [5, 8, 20, 32, 33, 255] {
            let stretches = (0..<count).map { 405_000 - 500 * Int64($0 % 2)..<405_400 }
            let file = media.fragments(stretches, packetsPerFragment: 400)
            let (stream, byteCount) = parseFile(file, pieces: repeatElement(4_096, count: .max))
            #expect(byteCount <= 10 * file.count, "\(count)")
            #expect(stream.toldProblems.isEmpty == (count <= 8), "\(count)")
            #expect(parseFile(file, pieces: repeatElement(997, count: .max)).stream == stream)
        }
    }

    /// Runs that overlap are read no more often than that either, where nothing of them is given.
    @Test func runsThatOverlap() throws {
        var writer = MPEG4Writer()
        writer.packets = (0..<40).map { payload(1_000, seed: UInt64($0)) }
        (writer.movieTimescale, writer.edits) = (44_100, [(2_000, 0), (1_000, 900_000), (2_000, 10)])
        var file = writer.fragmented(packetsPerFragment: 40)
        let moof = try #require(Self.places(of: "moof", in: file).first)
        let run = try #require(Self.places(of: "trun", in: file).last)
        let box = Array(file[run..<run + Int(file.span.bytes.number(at: run))])
        // The second run, 200 times.
        file.insert(contentsOf: Array(repeating: box, count: 200).flatMap { $0 }, at: run)
        for place in [moof, try #require(Self.places(of: "traf", in: file).last)] {
            let size = file.span.bytes.number(at: place) + UInt32(200 * box.count)
            file.replaceSubrange(place..<place + 4, with: MPEG4Writer.numbers([size]))
        }
        let (stream, byteCount) = parseFile(file, pieces: repeatElement(4_096, count: .max))
        #expect(byteCount <= 10 * file.count && stream.failure == nil)
        #expect(parseFile(file, pieces: repeatElement(500, count: .max)).stream == stream)
    }

    @Test func hurtFilesAreHarmless() {
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let media = EditedMedia.all.randomElement(using: &generator)!
            guard let stretches = Self.stretches(media, &generator) else { continue }
            var bytes = Self.fragments(media, stretches, seed: seed)
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let place = Int.random(in: 0..<min(bytes.count, 2_000), using: &generator)
                bytes[place] =
                    Bool.random(using: &generator)
                    ? [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
                    : bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            if seed % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            let (stream, byteCount) = parseFile(bytes, pieces: repeatElement(200, count: .max))
            let pieces = repeatElement(Int.random(in: 1...2_000, using: &generator), count: .max)
            #expect(parseFile(bytes, pieces: pieces).stream == stream, "seed \(seed)")
            #expect(byteCount <= 12 * bytes.count + 20_000, "seed \(seed)")
            #expect(media.soundByteCount(stream) <= 8 * bytes.count, "seed \(seed)")
            MPEG4EditFragmentTests.seekAnywhere(bytes, &generator)
        }
    }
}
