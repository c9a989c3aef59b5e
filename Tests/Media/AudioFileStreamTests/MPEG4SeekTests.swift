import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Places in MPEG-4 files: packets, frames, bytes.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4SeekTests {
    /// A parser that has gone through all of the file.
    private func open(_ file: [UInt8]) throws -> AudioFileStream {
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try bring(file, to: &parser, &recorder)
        try parser.finish(into: &recorder)
        return parser
    }

    private func bring(_ file: [UInt8], to parser: inout AudioFileStream, _ recorder: inout EventRecorder) throws {
        while parser.nextByteOffset < file.count {
            let start = Int(parser.nextByteOffset)
            let end = min(file.count, start + 777)
            try parser.parse(file.span.bytes.extracting(start..<end), discontinuity: false, into: &recorder)
        }
    }

    static let pcm: MPEG4Writer = {
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry("sowt", [])
        writer.duration = 1
        writer.packets = (0..<4).map { payload(4 * 2_500, seed: UInt64($0)) }
        writer.packetsPerChunk = 1
        writer.samplesPerChunk = 2_500
        writer.constantSize = (4, 10_000)
        writer.betweenChunks = payload(333)
        return writer
    }()

    static let files: [(name: String, file: [UInt8])] = {
        var writer = MPEG4Writer()
        writer.betweenChunks = payload(100)
        writer.packetsPerChunk = 3
        var opus = writer
        opus.sampleEntry = MPEG4Writer.entry(
            "fLaC", MPEG4Writer.fullBox("dfLa", [0x80, 0, 0, 34] + FLACWriter().streamInfo))
        opus.timescale = 1_000
        opus.duration = 23
        opus.lastDuration = 7
        return [
            ("in front", writer.file()), ("behind", writer.file(movieFirst: false)), ("pcm", pcm.file()),
            ("times that are not frames", opus.file()),
            ("empty samples", MPEG4EmptySampleTests.hollow(writer).file()),
            ("empty samples, times that are not frames", MPEG4EmptySampleTests.hollow(opus).file()),
        ]
    }()

    @Test(arguments: files.indices)
    func everyPacketIsFound(index: Int) throws {
        let file = Self.files[index].file
        let packets = parseFile(file).stream.packets
        var parser = try open(file)
        var frame: Int64 = 0
        for (number, packet) in packets.enumerated() {
            let place = try parser.place(ofPacket: Int64(number))
            #expect(place.packet == Int64(number) && !place.isEstimate)
            let start = Int(place.byteOffset)
            #expect(Array(file[start..<start + packet.bytes.count]) == packet.bytes)
            #expect(try parser.firstFrame(ofPacket: Int64(number)) == frame)
            for offset in [0, packet.frameCount - 1] {
                let found = try parser.packet(containingFrame: frame + Int64(offset))
                #expect(found.packet == Int64(number) && found.frameOffset == offset)
            }
            for byte in [start, start + packet.bytes.count - 1] {
                let found = try parser.packet(atByteOffset: Int64(byte))
                #expect(found.packet == Int64(number) && !found.isEstimate)
            }
            frame += Int64(packet.frameCount)
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: Int64(packets.count)) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(atByteOffset: 9) }
        for number in [packets.count - 1, 0, packets.count / 2] {
            _ = try parser.seek(toPacket: Int64(number))
            var recorder = EventRecorder()
            try bring(file, to: &parser, &recorder)
            #expect(ParsedStream(events: recorder.events).packetBytes == packets[number...].map(\.bytes))
        }
    }

    @Test func fragmentsThatWentByAreFound() throws {
        let writer = MPEG4Writer()
        let file = writer.fragmented(packetsPerFragment: 6)
        var parser = try open(file)
        for number in [0, 5, 6, 17, 39] {
            let place = try parser.seek(toPacket: Int64(number))
            #expect(place.packet == Int64(number / 6 * 6))
            #expect(try parser.firstFrame(ofPacket: place.packet) == place.packet * 1_024)
            var recorder = EventRecorder()
            try bring(file, to: &parser, &recorder)
            let rest = Array(writer.packets[Int(place.packet)...])
            #expect(ParsedStream(events: recorder.events).packetBytes == rest)
            #expect(try parser.packet(atByteOffset: place.byteOffset + 1) == (place.packet, true))
        }
    }

    @Test func aStreamGoesOnFromWhereItIsBrought() throws {
        let writer = MPEG4Writer()
        let file = writer.file()
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes.extracting(0..<3_000), discontinuity: false, into: &recorder)
        let place = try parser.seek(toPacket: 30)
        recorder = EventRecorder()
        let rest = file.span.bytes.extracting(Int(place.byteOffset)..<file.count)
        try parser.parse(rest, discontinuity: true, into: &recorder)
        #expect(ParsedStream(events: recorder.events).packetBytes == Array(writer.packets[30...]))
    }

    /// From packets of the table it goes on into the fragments.
    @Test(arguments: [(1, false), (4, false), (30, false), (4, true)])
    func aStreamWithATableAndFragmentsGoesOn(packetsPerChunk: Int, hasTwoBoxes: Bool) throws {
        var writer = MPEG4Writer()
        (writer.packetsPerChunk, writer.betweenChunks) = (packetsPerChunk, Array("in front of the chunk".utf8))
        var file = writer.fragmented(packetsPerFragment: 6, described: 20)
        if hasTwoBoxes {
            let start = try #require(file.indices.first { file[$0...].starts(with: Array("mdat".utf8)) }) - 4
            let end = start + Int(file.span.bytes.number(at: start))
            let chunks = file.indices.filter { file[$0...].starts(with: writer.betweenChunks) }
            // A box begins in front of the third chunk.
            file.replaceSubrange(start..<start + 4, with: MPEG4Writer.numbers([UInt32(chunks[2] - start)]))
            let head = MPEG4Writer.numbers([UInt32(end - chunks[2])]) + Array("mdat".utf8)
            file.replaceSubrange(chunks[2]..<chunks[2] + 8, with: head)
            #expect(parse(file).packetBytes == writer.packets)
        }
        for seen in [1_500, 3_000, 5_500, file.count] {
            var parser = AudioFileStream()
            var recorder = EventRecorder()
            try parser.parse(file.span.bytes.extracting(0..<seen), discontinuity: false, into: &recorder)
            // To and fro.
            for number in [0, 7, 19, 8, 1] {
                let place = try parser.seek(toPacket: Int64(number))
                #expect(place.packet == number && !place.isEstimate)
                recorder = EventRecorder()
                let isCut = number == 8
                let end = isCut ? Int(place.byteOffset) + 300 : file.count
                for start in stride(from: Int(place.byteOffset), to: end, by: 400) {
                    let piece = file.span.bytes.extracting(start..<min(end, start + 400))
                    try parser.parse(piece, discontinuity: start == place.byteOffset, into: &recorder)
                }
                let packets = ParsedStream(events: recorder.events).packetBytes
                let expected = Array(writer.packets[number...].prefix(isCut ? packets.count : .max))
                #expect(packets == expected && !packets.isEmpty, "\(number) after \(seen)")
            }
        }
    }

    @Test func aGapCannotBeRecovered() throws {
        let file = MPEG4Writer().file()
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes.extracting(0..<3_000), discontinuity: false, into: &recorder)
        #expect(throws: AudioStreamError.discontinuityCannotRecover) {
            try parser.parse(file.span.bytes.extracting(4_000..<5_000), discontinuity: true, into: &recorder)
        }
    }
}
