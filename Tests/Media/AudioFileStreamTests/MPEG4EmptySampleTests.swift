import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Samples without a byte: they are no packets, neither in tables nor among what is given.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EmptySampleTests {
    /// The first, the last, some between and all of a chunk.
    static func hollow(_ writer: MPEG4Writer) -> MPEG4Writer {
        var writer = writer
        let chunk = 2 * writer.packetsPerChunk..<3 * writer.packetsPerChunk
        for index in [0, 7, 21, 22, writer.packets.count - 1] + Array(chunk) { writer.packets[index] = [] }
        return writer
    }

    private func filled(_ writer: MPEG4Writer) -> [[UInt8]] { writer.packets.filter { !$0.isEmpty } }

    @Test(arguments: [4, 8, 16, 32])
    func tablesCountWhatIsGiven(sizeBits: Int) throws {
        var writer = MPEG4Writer()
        if sizeBits == 4 { writer.packets = writer.packets.map { Array($0.prefix(3 + $0.count % 12)) } }
        writer.sizeBits = sizeBits
        writer = Self.hollow(writer)
        for file in [writer.file(), writer.file(movieFirst: false)] {
            let stream = parseFile(file).stream
            #expect(stream.failure == nil)
            #expect(stream.packetBytes == filled(writer))
            #expect(stream.properties.contains(.audioDataPacketCount(Int64(filled(writer).count))))
            // All was known in front: nothing is told a second time.
            #expect(stream.table == stream.announcedTable)
            #expect(stream.table?.validFrameCount == Int64(filled(writer).count) * 1_024)
        }
        let whole = parse(writer.file())
        #expect(splitThatDiffers(writer.file(), from: whole) == nil)
    }

    /// Each sample with a duration of its own.
    @Test func timesAreThoseOfWhatIsGiven() {
        var writer = Self.hollow(MPEG4Writer())
        writer.sampleEntry = MPEG4Writer.entry(
            "fLaC", MPEG4Writer.fullBox("dfLa", [0x80, 0, 0, 34] + FLACWriter().streamInfo))
        writer.durations = writer.packets.indices.map { UInt32(500 + $0) }
        let expected = writer.packets.indices.filter { !writer.packets[$0].isEmpty }.map { 500 + $0 }
        let stream = parse(writer.file())
        #expect(stream.packets.map(\.frameCount) == expected)
        #expect(stream.announcedTable?.validFrameCount == Int64(expected.reduce(0, +)))
        #expect(stream.table == stream.announcedTable)
    }

    @Test func fragmentsCountWhatIsGiven() throws {
        let writer = Self.hollow(MPEG4Writer())
        let file = writer.fragmented(packetsPerFragment: 6)
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == filled(writer))
        #expect(stream.properties.contains(.audioDataPacketCount(Int64(filled(writer).count))))
        #expect(splitThatDiffers(file, from: stream) == nil)
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        let place = try parser.seek(toPacket: 20)
        recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        #expect(!place.isEstimate)
        #expect(
            ParsedStream(events: recorder.events).packetBytes == Array(filled(writer)[Int(place.packet)...]))
    }

    @Test func samplesOfSpeechAreBundlesOnlyIfFilled() throws {
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry(
            "samr", rate: 8_000, MPEG4Writer.box("damr", Array("Test".utf8) + [0, 0x81, 0xFF, 0, 2]))
        writer.timescale = 8_000
        writer.duration = 320
        // Two frames of 4.75 kbit/s in a sample.
        writer.packets = (0..<40).map { payload(26, seed: UInt64($0)) }
        for index in writer.packets.indices { (writer.packets[index][0], writer.packets[index][13]) = (4, 4) }
        writer = Self.hollow(writer)
        let file = writer.file()
        let stream = parse(file)
        let frames = filled(writer).flatMap { [Array($0[..<13]), Array($0[13...])] }
        #expect(stream.packetBytes == frames)
        #expect(stream.properties.contains(.audioDataPacketCount(Int64(frames.count))))
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        #expect(try parser.seek(toPacket: 31).packet == 30)
        recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        #expect(ParsedStream(events: recorder.events).packetBytes == Array(frames[30...]))
    }

    @Test func nothingButEmptySamplesIsNoAudio() {
        var writer = MPEG4Writer()
        writer.packets = [[UInt8]](repeating: [], count: 40)
        #expect(parse(writer.file()).failure == .dataUnavailable)
        #expect(parse(writer.fragmented(packetsPerFragment: 6)).failure == .dataUnavailable)
    }
}
