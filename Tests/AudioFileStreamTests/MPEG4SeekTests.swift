import AudioCore
import AudioFileStream
import StreamTestKit
import Testing

/// Places in MPEG-4 files: packets, frames, bytes.
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
