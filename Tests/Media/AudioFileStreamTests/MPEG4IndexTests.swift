import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Seeks in fragmented files to what has not gone by, with an index in front.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4IndexTests {
    private static let packetsPerFragment = 6

    /// - Parameters:
    ///   - excess: time that the index gives each fragment too much.
    ///   - priming: of the edit list; the index leaves it out.
    ///   - change: hurts the index.
    private func indexed(
        isLong: Bool = false, track: UInt32 = 1, excess: UInt32 = 0, priming: UInt32 = 0,
        change: (inout [UInt8]) -> Void = { _ in }
    ) -> IndexedFragments {
        var writer = MPEG4Writer()
        if priming > 0 { writer.edits = [(0, Int32(priming))] }
        let plain = IndexedFragments(writer, packetsPerFragment: Self.packetsPerFragment)
        let starts = plain.starts
        var times = stride(from: 0, to: writer.packets.count, by: Self.packetsPerFragment).map {
            UInt32(min(Self.packetsPerFragment, writer.packets.count - $0)) * writer.duration + excess
        }
        times[0] -= priming
        let references = starts.indices.flatMap { index in
            let end = index + 1 < starts.count ? starts[index + 1] : plain.file.count
            return [UInt32(end - starts[index]), times[index], 0x9000_0000]
        }
        let places: [UInt32] = isLong ? [0, 0, 0, 0] : [0, 0]
        var index = MPEG4Writer.fullBox(
            "sidx", version: isLong ? 1 : 0,
            MPEG4Writer.numbers([track, writer.timescale] + places + [UInt32(starts.count)] + references))
        change(&index)
        return plain.with(index, at: starts[0])
    }

    @Test(arguments: [false, true])
    func fragmentsAheadAreFound(isLong: Bool) throws {
        let indexed = indexed(isLong: isLong)
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

    @Test func timesBetweenPacketsAreEstimates() throws {
        let indexed = indexed(excess: 100)
        var parser = try indexed.open()
        #expect(try parser.place(ofPacket: 3) == AudioFileStreamSeek(packet: 0, byteOffset: Int64(indexed.starts[0])))
        let place = try parser.seek(toPacket: 20)
        #expect(place == AudioFileStreamSeek(packet: 18, byteOffset: Int64(indexed.starts[3]), isEstimate: true))
        #expect(try indexed.rest(of: &parser) == Array(indexed.packets[18...]))
        // What went by since has no number that is certain.
        #expect(try parser.place(ofPacket: 30).isEstimate)
        // What was counted from the front has one.
        _ = try parser.seek(toPacket: 0)
        _ = try indexed.rest(of: &parser)
        #expect(
            try parser.place(ofPacket: 30) == AudioFileStreamSeek(packet: 30, byteOffset: Int64(indexed.starts[5])))
    }

    @Test func timesOfWhatIsHeardAreEstimates() throws {
        let indexed = indexed(priming: 1_024)
        var parser = try indexed.open()
        let place = try parser.seek(toPacket: 20)
        #expect(place == AudioFileStreamSeek(packet: 18, byteOffset: Int64(indexed.starts[3]), isEstimate: true))
        #expect(try indexed.rest(of: &parser) == Array(indexed.packets[18...]))
        #expect(try parser.place(ofPacket: 0) == AudioFileStreamSeek(packet: 0, byteOffset: Int64(indexed.starts[0])))
    }

    @Test func indexesThatAreOfNoUseChangeNothing() throws {
        let useless = [
            indexed(track: 2),
            // No units; none of the entries there; the first points to another index.
            indexed { $0.replaceSubrange(16..<20, with: [0, 0, 0, 0]) },
            indexed { $0.replaceSubrange(30..<32, with: [0, 0]) },
            indexed { $0[32] |= 0x80 },
        ]
        for indexed in useless {
            var parser = try indexed.open()
            #expect(try parser.seek(toPacket: 39).packet == 6)
            #expect(try indexed.rest(of: &parser) == Array(indexed.packets[6...]))
        }
    }

    @Test func indexesOfNonsenseAreHarmless() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<60 {
            let hurt = indexed(isLong: Bool.random(using: &generator)) { index in
                for _ in 0..<4 {
                    index[Int.random(in: 8..<index.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            let whole = parse(hurt.file)
            #expect(whole.packetBytes == hurt.packets)
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
