import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Seeks in elementary streams.
@Suite(.timeLimit(.minutes(5)))
struct ElementaryStreamSeekTests {
    static let streams: [(name: String, bytes: [UInt8], packets: [[UInt8]])] = {
        let blocks = ADTSWriter.blocks(300)
        let ac3 = AC3Writer().frames(300)
        let amr = AMRWriter.narrowbandFrames(300)
        let mpeg = MPEGWriter().frames(300)
        return [
            ("ADTS", ADTSWriter().file(blocks), blocks), ("AC-3", ac3.flatMap { $0 }, ac3),
            ("AMR", AMRWriter.narrowbandMagic + amr.flatMap { $0 }, amr), ("MPEG", mpeg.flatMap { $0 }, mpeg),
        ]
    }()

    /// Seeks in a parser, and gives what comes from there to the end.
    private func packets(
        from packet: Int64, in bytes: [UInt8], _ parser: inout AudioFileStream
    ) throws -> (place: AudioFileStreamSeek, packets: [[UInt8]]) {
        let place = try parser.seek(toPacket: packet)
        #expect(parser.nextByteOffset == place.byteOffset)
        var recorder = EventRecorder()
        let rest = Array(bytes[Int(place.byteOffset)...])
        try parser.parse(rest.span.bytes, discontinuity: false, into: &recorder)
        try parser.finish(into: &recorder)
        return (place, ParsedStream(events: recorder.events).packetBytes)
    }

    @Test(arguments: streams.indices)
    func afterAScanSeeksAreExact(index: Int) throws {
        let stream = Self.streams[index]
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(stream.bytes.span.bytes, discontinuity: false, into: &recorder)
        try parser.finish(into: &recorder)
        for packet in [0, 299, 17, 150] {
            let found = try packets(from: Int64(packet), in: stream.bytes, &parser)
            #expect(!found.place.isEstimate)
            #expect(found.place.packet == packet)
            #expect(found.packets == Array(stream.packets[packet...]), "\(stream.name) \(packet)")
            let back = try parser.packet(atByteOffset: found.place.byteOffset)
            #expect(back.packet == packet)
            #expect(!back.isEstimate)
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.seek(toPacket: 300) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.seek(toPacket: -1) }
    }

    @Test(arguments: streams.indices)
    func beyondWhatWentByTheyAreEstimates(index: Int) throws {
        let stream = Self.streams[index]
        var parser = AudioFileStream(access: .file(byteCount: Int64(stream.bytes.count)))
        var recorder = EventRecorder()
        try parser.bring(stream.bytes, upTo: stream.bytes.count / 2, into: &recorder)
        let found = try packets(from: 250, in: stream.bytes, &parser)
        #expect(found.place.isEstimate)
        // Where it came out is a packet's start, near the one that was asked for.
        #expect(found.packets == Array(stream.packets.suffix(found.packets.count)))
        #expect(abs(found.packets.count - 50) <= 8, "\(stream.name)")
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.seek(toPacket: 100_000) }
    }

    @Test func estimateOfConstantRateFindsThePacketItself() throws {
        // Padded as 128 kbit/s at 44.1 kHz asks: 417.96 bytes on the average.
        let packets = (0..<900).map { index in
            func end(_ index: Int) -> Int { index * 144 * 128_000 / 44_100 }
            return MPEGWriter().frame(seed: UInt64(index), isPadded: end(index + 1) - end(index) > 417)
        }
        let bytes = packets.flatMap { $0 }
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(bytes.span.bytes.extracting(0..<9_000), discontinuity: false, into: &recorder)
        for packet in [40, 333, 899] {
            let found = try self.packets(from: Int64(packet), in: bytes, &parser)
            #expect(found.place.isEstimate)
            #expect(found.packets == Array(packets[packet...]))
            #expect(try parser.packet(atByteOffset: found.place.byteOffset + 200).packet == packet)
        }
    }

    @Test func framesWithSeveralPacketsAreEnteredAtTheirFirst() throws {
        var writer = ADTSWriter()
        writer.hasCRC = true
        let blocks = ADTSWriter.blocks(40)
        let bytes = stride(from: 0, to: 40, by: 4).flatMap { writer.frame(Array(blocks[$0..<$0 + 4])) }
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(bytes.span.bytes, discontinuity: false, into: &recorder)
        try parser.finish(into: &recorder)
        let found = try packets(from: 22, in: bytes, &parser)
        #expect(found.place.packet == 20)
        #expect(found.packets == Array(blocks[20...]))
    }

    @Test func afterAnEstimateNothingIsCounted() throws {
        let stream = Self.streams[0]
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(stream.bytes.span.bytes.extracting(0..<20_000), discontinuity: false, into: &recorder)
        _ = try packets(from: 250, in: stream.bytes, &parser)
        #expect(parser.summary.packetCount == nil)
        // An exact one counts on from its packet, and so reaches the true end.
        #expect(try packets(from: 5, in: stream.bytes, &parser).packets.count == 295)
        #expect(parser.summary.packetCount == 300)
    }
}
