import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists of several stretches over movies in fragments: the same comes out as where tables tell all.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditFragmentTests {
    static func random(_ media: EditedMedia, seed: UInt64) -> (
        stretches: [Range<Int64>], silences: [Int], packetsPerFragment: Int
    ) {
        var generator = SeededGenerator(seed: seed)
        let stretches = media.stretches(using: &generator)
        let silences = seed % 2 == 0 ? [] : EditedMedia.silences(between: stretches.count, using: &generator)
        return (stretches, silences, Int.random(in: 1...8, using: &generator))
    }

    @Test(arguments: EditedMedia.all) func stretchesAreGivenToTheFrame(media: EditedMedia) {
        let end = media.frameCount
        for stretches in [
            [100..<2_000, 2_900..<end - 10], [0..<1_500, 1_501..<end], [64..<1_024, 2_048..<3_072],
            [5..<1_030, 3_000..<3_001, 3_003..<3_009, 3_050..<3_060, 3_500..<end],
        ] as [[Range<Int64>]] {
            let file = media.fragments(stretches)
            let stream = parse(file)
            MPEG4EditTests.check(stream, media, stretches)
            #expect(splitThatDiffers(file, from: stream) == nil)
            #expect(parseFile(file).stream == stream)
        }
    }

    @Test(arguments: EditedMedia.all) func anyStretches(media: EditedMedia) {
        for seed in 1...60 as ClosedRange<UInt64> {
            let (stretches, silences, packetsPerFragment) = Self.random(media, seed: seed)
            // More than `moov` describes must be played: else where the edits end says nothing.
            let isDescribed =
                seed % 3 == 0 && media.writer.packets.count > 10 && media.writer.constantSize == nil
                && stretches.last!.upperBound - stretches[0].lowerBound > media.starts.last! / 3
            let file = media.fragments(
                stretches, silences: silences, packetsPerFragment: packetsPerFragment, described: isDescribed ? 3 : 0)
            let stream = parse(file)
            MPEG4EditTests.check(stream, media, stretches, silences: silences)
            #expect(parse(file, with: AudioFileStream(), pieces: repeatElement(Int(seed * 7), count: .max)) == stream)
            #expect(parseFile(file, pieces: repeatElement(Int(seed * 5), count: .max)).stream == stream)
            // Of linear PCM packets end where runs do.
            guard !media.starts.isEmpty else { continue }
            let tables = parse(media.file(stretches, silences: silences))
            #expect(stream.packetBytes == tables.packetBytes, "\(media) \(seed)")
            #expect(stream.packets.map(\.frameCount) == tables.packets.map(\.frameCount))
        }
    }

    // MARK: Ends

    private func info(_ valid: Int64, _ priming: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(validFrameCount: valid, primingFrameCount: priming, remainderFrameCount: 0)
    }

    /// What is not known in front is told at the end.
    @Test func lastStretchMayGoToTheEnd() {
        var writer = MPEG4Writer()
        writer.movieTimescale = 44_100
        for (last, total, announced) in [
            (0, nil, nil), (0, 5_000, 5_000), (0, 22_000, 22_000), (500_000, nil, 502_000), (20_960, nil, 22_960),
        ] as [(UInt32, UInt32?, Int64?)] {
            writer.edits = [(2_000, 1_100), (last, 20_000)]
            let file = writer.fragmented(packetsPerFragment: 6, total: total)
            let stream = parse(file)
            #expect(stream.announcedTable?.validFrameCount == announced)
            #expect(stream.announcedTable?.primingFrameCount == 1_100)
            #expect(stream.table == info(2_000 + 40_960 - 20_000, 1_100) && stream.toldProblems == [])
            #expect(splitThatDiffers(file, from: stream) == nil)
        }
    }

    /// The last packet decodes to more than its time, which ends the media.
    @Test func endOfTheMediaIsThatOfItsTimes() {
        var writer = EditedMedia.all[0].writer
        writer.movieTimescale = 44_100
        for last in [0, 30_000] as [UInt32] {
            writer.edits = [(2_000, 1_100), (last, 20_000)]
            let stream = parse(writer.fragmented(packetsPerFragment: 6))
            let end = 2_000 + 39 * 1_024 + 700 - 20_000
            let expected = AudioPacketTableInfo(
                validFrameCount: Int64(end), primingFrameCount: 1_100, remainderFrameCount: 324)
            #expect(stream.table == expected)
            #expect(parse(writer.file()).table?.validFrameCount == Int64(end))
        }
    }

    /// Edits that end where `moov` itself does were written before there were fragments.
    @Test func endsThatTheBeginningHadAreNone() {
        var writer = MPEG4Writer()
        writer.movieTimescale = 44_100
        writer.edits = [(2_000, 1_100), (4_000, 6_000)]
        let file = writer.fragmented(packetsPerFragment: 6, described: 10)
        let stream = parse(file)
        #expect(stream.announcedTable?.validFrameCount == nil)
        #expect(stream.table == info(2_000 + 40_960 - 6_000, 1_100) && stream.toldProblems == [])
        #expect(splitThatDiffers(file, from: stream) == nil)
        #expect(parse(writer.fragmented(packetsPerFragment: 6)).table == info(6_000, 1_100))
    }

    /// Of several edits one is left, which ends where it says.
    @Test func oneStretchOfSeveralEdits() {
        var writer = MPEG4Writer()
        writer.movieTimescale = 44_100
        for edits in [[(2_000, 1_100), (4_000, 3_100)], [(0, 20), (6_000, 1_100)]] as [[(UInt32, Int32)]] {
            writer.edits = edits
            let stream = parse(writer.fragmented(packetsPerFragment: 6))
            #expect(stream.table?.validFrameCount == 6_000 && stream.table?.primingFrameCount == 1_100)
            #expect(stream.packetBytes == writer.packets && stream.toldProblems == [])
        }
    }

    // MARK: Seeks

    @Test(arguments: EditedMedia.all, [AudioFileStreamAccessKind.stream, .file])
    func seeksAreExact(media: EditedMedia, access: AudioFileStreamAccessKind) throws {
        for seed in 200...212 as ClosedRange<UInt64> {
            let (stretches, silences, packetsPerFragment) = Self.random(media, seed: seed)
            let isDescribed =
                media.writer.packets.count > 10 && stretches.last!.upperBound > media.frameCount / 2
                && stretches[0].lowerBound < media.frameCount / 5 && media.writer.constantSize == nil
            let file = media.fragments(
                stretches, silences: silences, packetsPerFragment: packetsPerFragment,
                described: isDescribed ? Int(seed % 3) : 0)
            let packets = parse(file).packets
            // After all of the file, and in the middle of it.
            for end in [file.count, file.count / 2] {
                try Self.checkSeeks(file, upTo: end, packets, access)
            }
        }
    }

    enum AudioFileStreamAccessKind: Sendable { case stream, file }

    static func checkSeeks(
        _ file: [UInt8], upTo end: Int, _ packets: [(bytes: [UInt8], frameCount: Int)],
        _ access: AudioFileStreamAccessKind
    ) throws {
        var parser = AudioFileStream(access: access == .file ? .file(byteCount: Int64(file.count)) : .stream)
        var recorder = EventRecorder()
        try parser.bring(file, upTo: end, pieces: 300, into: &recorder)
        guard parser.packetCount > 0 else { return }
        let starts = packets.reduce(into: [Int64(0)]) { $0.append($0.last! + Int64($1.frameCount)) }
        for number in packets.indices {
            for frame in [starts[number], starts[number + 1] - 1] {
                let found = try parser.packet(containingFrame: frame)
                try #require((0...number).contains(Int(found.packet)))
                #expect(starts[Int(found.packet)] + Int64(found.frameOffset) == frame)
            }
            let place = try parser.seek(toPacket: Int64(number))
            try #require((0...number).contains(Int(place.packet)) && !place.isEstimate)
            #expect(try parser.place(ofPacket: place.packet) == place)
            #expect(try parser.firstFrame(ofPacket: place.packet) == starts[Int(place.packet)])
            #expect(parser.nextByteOffset == place.byteOffset)
            recorder = EventRecorder()
            try parser.bring(file, upTo: file.count, pieces: 300, into: &recorder)
            let rest = ParsedStream(events: recorder.events).packets
            let expected = packets[Int(place.packet)...]
            #expect(ParsedStream(events: recorder.events).toldProblems == [])
            #expect(rest.map(\.bytes) == expected.map(\.bytes), "\(number)")
            #expect(rest.map(\.frameCount) == expected.map(\.frameCount))
        }
    }

    /// One goes back no further than needed.
    @Test func seeksGoToTheFragment() throws {
        let media = EditedMedia.all[0]
        // Packets 1 to 17; 25 (after 24) to 38.
        let file = media.fragments([1_500..<18_000, 26_000..<40_000])
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        for (packet, expected) in [(0, 0), (4, 0), (5, 5), (14, 10), (17, 15), (18, 18), (23, 23), (30, 28)] {
            #expect(try parser.place(ofPacket: Int64(packet)).packet == Int64(expected), "\(packet)")
        }
    }

    // MARK: Hostile ones

    /// A splice holds what it may, however long packets are.
    @Test func packetsThatAreTooLongForASplice() {
        for size in [90_000, 97_000, 120_000, 190_000, 196_608] {
            var writer = MPEG4Writer()
            writer.packets = (0..<12).map { payload($0 % 2 == 0 ? size : 300, seed: UInt64($0)) }
            writer.packets[6] = payload(size)
            writer.movieTimescale = 44_100
            writer.edits = [(2_000, 0), (1_000, 5_500), (3_000, 7_300)]
            let stream = parse(writer.fragmented(packetsPerFragment: 4))
            #expect(stream.packetBytes == parse(writer.file()).packetBytes)
            #expect(stream.table?.validFrameCount == 6_000)
            #expect(stream.packets.allSatisfy { $0.bytes.count <= Limits.packetByteCount })
        }
    }

    @Test(arguments: EditedMedia.all) func listsOfNonsense(media: EditedMedia) {
        var (followed, returned) = (0, 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var writer = media.writer
            writer.movieTimescale = [1, 7, 1_000, writer.timescale, .max].randomElement(using: &generator)!
            var time: Int32 = 0
            let count = [2, 3, 5, 40, 300].randomElement(using: &generator)!
            writer.edits = (0..<count).map { _ in
                let lengths: [UInt32] = [0, 1, 30, .max, .random(in: 0...50_000, using: &generator)]
                let length =
                    Int.random(in: 0...9, using: &generator) > 0 ? 300 : lengths.randomElement(using: &generator)!
                time &+= Int32(truncatingIfNeeded: length) &+ .random(in: 0...500, using: &generator)
                let times = [0, Int32(media.frameCount), -1, .max]
                let isAscending = Int.random(in: 0...4, using: &generator) > 0
                return (length, isAscending ? time &- 300 : times.randomElement(using: &generator)!)
            }
            let file = writer.fragmented(packetsPerFragment: 3)
            let stream = parse(file)
            #expect(media.soundByteCount(stream) <= 8 * file.count, "seed \(seed)")
            #expect(parse(file, with: AudioFileStream(), pieces: repeatElement(501, count: .max)) == stream)
            let (atHand, byteCount) = parseFile(file)
            #expect(media.soundByteCount(atHand) <= 8 * file.count, "seed \(seed)")
            #expect(byteCount <= 12 * max(file.count, 65_536), "seed \(seed)")
            #expect(parseFile(file, pieces: repeatElement(77, count: .max)).stream == atHand, "seed \(seed)")
            guard stream.toldProblems == [] else {
                returned += atHand.toldProblems == [] ? 1 : 0
                continue
            }
            followed += 1
            #expect(atHand == stream, "seed \(seed)")
        }
        #expect(followed > 5 && returned > 5)
    }

    @Test(arguments: EditedMedia.all) func cutShort(media: EditedMedia) {
        let stretches = [100..<1_000, 1_900..<3_000, 3_200..<media.frameCount] as [Range<Int64>]
        let file = media.fragments(stretches, silences: [0, 5_000])
        let whole = parse(file)
        for length in stride(from: 800, to: file.count, by: 397) {
            let cut = Array(file.prefix(length))
            let stream = parse(cut)
            guard stream.failure == nil else { continue }
            #expect(stream.packetBytes == whole.packetBytes.prefix(stream.packets.count).map { $0 }, "\(length)")
            let given = stream.packets.reduce(0) { $0 + Int64($1.frameCount) }
            #expect(stream.table?.validFrameCount == max(0, given - 100), "\(length)")
            #expect(splitThatDiffers(cut, from: stream) == nil, "\(length)")
        }
    }

    @Test func hurtFilesAreHarmless() {
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let media = EditedMedia.all.randomElement(using: &generator)!
            let (stretches, silences, packetsPerFragment) = Self.random(media, seed: seed)
            var bytes = media.fragments(stretches, silences: silences, packetsPerFragment: packetsPerFragment)
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let place = Int.random(in: 0..<min(bytes.count, 2_000), using: &generator)
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
                #expect(media.soundByteCount(given) <= 8 * bytes.count, "seed \(seed)")
                let isSound = given.packets.allSatisfy {
                    (1...Limits.packetFrameCount).contains($0.frameCount) && $0.bytes.count <= Limits.packetByteCount
                }
                #expect(isSound, "seed \(seed)")
            }
            Self.seekAnywhere(bytes, &generator)
        }
    }

    static func seekAnywhere(_ bytes: [UInt8], _ generator: inout SeededGenerator) {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        var recorder = EventRecorder()
        try? parser.bring(bytes, upTo: bytes.count, into: &recorder)
        for _ in 0..<4 {
            let number = [0, .max, -1, Int64.random(in: 0...60, using: &generator)].randomElement(using: &generator)!
            _ = try? parser.packet(containingFrame: number)
            _ = try? parser.packet(atByteOffset: number)
            _ = try? parser.firstFrame(ofPacket: number)
            guard (try? parser.seek(toPacket: number)) != nil else { continue }
            try? parser.bring(bytes, upTo: bytes.count, into: &recorder)
        }
    }
}
