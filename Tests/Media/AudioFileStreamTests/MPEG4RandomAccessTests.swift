import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Seeks in fragmented files to what has not gone by, with an index at the end.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4RandomAccessTests {
    private static let packetsPerFragment = 6

    /// An entry of a table.
    private struct Entry {
        var time: UInt32
        var offset: Int
        var run: UInt8 = 1
        var sample: UInt8 = 1
    }

    /// - Parameters:
    ///   - numberByteCount: of each of the numbers behind an entry's place.
    private func table(_ entries: [Entry], track: UInt32 = 1, isLong: Bool = false, numberByteCount: Int = 1) -> [UInt8]
    {
        var body = MPEG4Writer.numbers([track, UInt32(numberByteCount - 1) * 0b10101, UInt32(entries.count)])
        for entry in entries {
            if isLong {
                body.append(bigEndian: UInt64(entry.time))
                body.append(bigEndian: UInt64(entry.offset))
            } else {
                body += MPEG4Writer.numbers([entry.time, UInt32(entry.offset)])
            }
            for number in [1, entry.run, entry.sample] {
                body += [UInt8](repeating: 0, count: numberByteCount - 1) + [number]
            }
        }
        return MPEG4Writer.fullBox("tfra", version: isLong ? 1 : 0, body)
    }

    private func index(_ tables: [UInt8]) -> [UInt8] {
        let length = UInt32(8 + tables.count + 16)
        return MPEG4Writer.box("mfra", tables + MPEG4Writer.fullBox("mfro", MPEG4Writer.numbers([length])))
    }

    private func entries(_ fragments: IndexedFragments, times: UInt32 = 1_024, priming: UInt32 = 0) -> [Entry] {
        fragments.starts.enumerated().map { number, start in
            let time = UInt32(number * Self.packetsPerFragment) * times
            return Entry(time: time - min(time, priming), offset: start)
        }
    }

    private func plain(priming: Int32 = 0) -> IndexedFragments {
        var writer = MPEG4Writer()
        if priming > 0 { writer.edits = [(0, priming)] }
        return IndexedFragments(writer, packetsPerFragment: Self.packetsPerFragment)
    }

    private func indexed(
        _ fragments: IndexedFragments, _ tables: [UInt8], change: (inout [UInt8]) -> Void = { _ in }
    ) -> IndexedFragments {
        var index = index(tables)
        change(&index)
        return fragments.with(index, at: fragments.file.count)
    }

    @Test(arguments: [false, true], [1, 2, 3, 4])
    func fragmentsAheadAreFound(isLong: Bool, numberByteCount: Int) throws {
        let plain = plain()
        let table = table(entries(plain), isLong: isLong, numberByteCount: numberByteCount)
        let other = self.table([Entry(time: 0, offset: plain.starts[4])], track: 9)
        let indexed = indexed(plain, other + MPEG4Writer.box("free", payload(30)) + table)
        var parser = try indexed.open()
        for packet in [17, 39, 30, 5, 0, 12, 24] {
            let fragment = packet / Self.packetsPerFragment
            let first = fragment * Self.packetsPerFragment
            let expected = AudioFileStreamSeek(packet: Int64(first), byteOffset: Int64(indexed.starts[fragment]))
            #expect(try parser.seek(toPacket: Int64(packet)) == expected)
            #expect(try parser.firstFrame(ofPacket: Int64(first)) == Int64(first) * 1_024)
            #expect(try indexed.rest(of: &parser) == Array(indexed.packets[first...]))
        }
        let whole = parse(indexed.file)
        #expect(whole.packetBytes == indexed.packets)
        #expect(splitThatDiffers(indexed.file, from: whole) == nil)
    }

    @Test(arguments: [1, 7, 100, 65_536])
    func theFileIsBroughtOnce(pieceByteCount: Int) {
        let indexed = indexed(plain(), table(entries(plain())))
        let (stream, byteCount) = parseFile(
            indexed.file, pieces: repeatElement(pieceByteCount, count: .max))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == indexed.packets)
        #expect(stream.reportedProblems == [])
        #expect(byteCount <= indexed.file.count + 400 + 4 * pieceByteCount)
    }

    @Test func timesBetweenPacketsAreEstimates() throws {
        let plain = plain()
        let indexed = indexed(plain, table(entries(plain, times: 1_030)))
        var parser = try indexed.open()
        let place = try parser.seek(toPacket: 20)
        #expect(place == AudioFileStreamSeek(packet: 18, byteOffset: Int64(indexed.starts[3]), isEstimate: true))
        #expect(try indexed.rest(of: &parser) == Array(indexed.packets[18...]))
        #expect(try parser.place(ofPacket: 30).isEstimate)
    }

    @Test func timesOfWhatIsHeardAreEstimates() throws {
        let plain = plain(priming: 1_024)
        let indexed = indexed(plain, table(entries(plain, priming: 1_024)))
        var parser = try indexed.open()
        let place = try parser.seek(toPacket: 20)
        #expect(place == AudioFileStreamSeek(packet: 18, byteOffset: Int64(indexed.starts[3]), isEstimate: true))
        #expect(try indexed.rest(of: &parser) == Array(indexed.packets[18...]))
    }

    @Test func onlyWhatBeginsAFragmentIsUsed() throws {
        let plain = plain()
        let all = entries(plain).flatMap { entry in
            (0..<UInt8(Self.packetsPerFragment)).map { number in
                let (run, sample) = (number / 3 + 1, number % 3 + 1)
                return Entry(time: entry.time + UInt32(number) * 1_024, offset: entry.offset, run: run, sample: sample)
            }
        }
        let indexed = indexed(plain, table(all))
        var parser = try indexed.open()
        let place = try parser.seek(toPacket: 35)
        #expect(place == AudioFileStreamSeek(packet: 30, byteOffset: Int64(indexed.starts[5])))
        #expect(try indexed.rest(of: &parser) == Array(indexed.packets[30...]))
    }

    @Test func indexesThatAreOfNoUseChangeNothing() throws {
        let plain = plain()
        let right = table(entries(plain))
        let moved = entries(plain).map { Entry(time: $0.time, offset: $0.offset + 8) }
        let useless = [
            // Left behind when the boxes were moved; of another track; without entries; pointing out of the file.
            indexed(plain, table(moved)), indexed(plain, table(entries(plain), track: 2)), indexed(plain, table([])),
            indexed(plain, table([Entry(time: 0, offset: 0), Entry(time: 9_000, offset: 1 << 30)])), indexed(plain, []),
            // The length is wrong, or its box is another; a table that goes beyond the index is cut there.
            indexed(plain, right) { $0[$0.count - 1] ^= 4 }, indexed(plain, right) { $0[$0.count - 9] = 0 },
            indexed(plain, right) { $0[4] = 0 }, indexed(plain, right) { $0[15] = 0 },
            indexed(plain, right).with([0], at: plain.file.count + right.count + 24),
        ]
        for indexed in useless {
            var parser = try indexed.open()
            #expect(try parser.seek(toPacket: 39).packet == 6)
            #expect(try indexed.rest(of: &parser) == Array(indexed.packets[6...]))
        }
    }

    /// With an edit list an index of times says where something is heard, and about where a packet is.
    @Test(arguments: ["+empty_moov", "+empty_moov+separate_moof", "+delay_moov", ""])
    func whatFFmpegWritesIsUnderstood(flags: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "ffmpeg -v error -f lavfi -i sine=d=20 -c:a aac -movflags frag_keyframe\(flags) -frag_duration 1000000 f.mp4",
            in: directory)
        let file = try Tool.readFile(directory.path + "/f.mp4")
        let fragments = IndexedFragments(file, packets: parseFile(file).stream.packetBytes)
        var parser = try fragments.open()
        let place = try parser.seek(toPacket: 700)
        #expect((640...700).contains(place.packet))
        #expect(place.isEstimate == (flags == "+delay_moov"))
        #expect(fragments.starts.contains(Int(place.byteOffset)))
        #expect(try fragments.rest(of: &parser) == Array(fragments.packets[Int(place.packet)...]))
    }

    @Test func anIndexInFrontCounts() throws {
        let plain = plain()
        let front = MPEG4Writer.fullBox(
            "sidx", MPEG4Writer.numbers([1, 44_100, 0, 0, 1, UInt32(plain.file.count - plain.starts[0]), 40_960, 0]))
        let both = indexed(plain, table(entries(plain))).with(front, at: plain.starts[0])
        let parser = try both.open()
        #expect(try parser.place(ofPacket: 39).packet == 6)
    }

    @Test func whatIsKeptIsBounded() throws {
        let count = 40_000
        var writer = MPEG4Writer(packetCount: 0)
        writer.packets = [[UInt8]](repeating: [1, 2, 3], count: count)
        let plain = IndexedFragments(writer, packetsPerFragment: 1)
        let entries = plain.starts.enumerated().map { Entry(time: UInt32($0.offset) * 1_024, offset: $0.element) }
        let indexed = indexed(plain, table(entries))
        var parser = try indexed.open()
        var generator = SeededGenerator(seed: 7)
        for packet in (0..<200).map({ _ in Int64.random(in: 2..<Int64(count), using: &generator) }) {
            let place = try parser.seek(toPacket: packet)
            #expect((0..<4).contains(packet - place.packet) && !place.isEstimate)
            #expect(place.byteOffset == Int64(indexed.starts[Int(place.packet)]))
        }
    }

    @Test func indexesOfNonsenseAreHarmless() throws {
        let plain = plain()
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            let table = table(
                entries(plain), isLong: Bool.random(using: &generator),
                numberByteCount: Int.random(in: 1...4, using: &generator))
            let hurt = indexed(plain, table) { index in
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let end = index.count - (Bool.random(using: &generator) ? 16 : 0)
                    index[Int.random(in: 0..<end, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            #expect(parseFile(hurt.file, pieces: repeatElement(300, count: .max)).stream.packetBytes == hurt.packets)
            var parser = try hurt.open()
            for packet in [39, 20, 7] as [Int64] {
                guard let place = try? parser.seek(toPacket: packet) else { continue }
                #expect(place.byteOffset >= 0 && place.byteOffset < hurt.file.count)
                var recorder = EventRecorder()
                try? parser.bring(hurt.file, upTo: hurt.file.count, pieces: 300, into: &recorder)
                #expect(recorder.strayPacketCount == 0)
            }
        }
    }
}
