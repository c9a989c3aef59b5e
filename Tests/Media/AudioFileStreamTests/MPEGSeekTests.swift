import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Seeks in MPEG files that say where their packets lie.
@Suite(.timeLimit(.minutes(5)))
struct MPEGSeekTests {
    /// Layer III that begins at 64 kbit/s and goes on with 320.
    let packets = (0..<400).map { MPEGWriter().frame(seed: UInt64($0), bitRateIndex: $0 < 200 ? 5 : 14) }

    private func offset(_ packet: Int) -> Int { packets[..<packet].joined().count }

    /// The parser after the file's first bytes.
    private func parser(_ bytes: [UInt8]) throws -> AudioFileStream {
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(bytes.span.bytes.extracting(0..<4_000), discontinuity: false, into: &recorder)
        return parser
    }

    @Test func xingsTableTellsWhereAbout() throws {
        let header = MPEGWriter().xing(packets: 400, bytes: 0)
        let total = header.count + offset(400)
        let table = (0..<100).map { UInt8((header.count + offset($0 * 4)) * 256 / total) }
        let file = MPEGWriter().xing(packets: 400, bytes: UInt32(total), table: table) + packets.joined()
        var parser = try parser(file)
        for packet in [50, 150, 200, 233, 399] {
            let place = try parser.seek(toPacket: Int64(packet))
            #expect(place.isEstimate)
            // The table counts in 256ths, and packets between its entries are taken to be alike.
            #expect(abs(Int(place.byteOffset) - header.count - offset(packet)) <= total / 256 + 2 * 1_044)
            let back = try parser.packet(atByteOffset: place.byteOffset)
            #expect(back.isEstimate)
            #expect(abs(Int(back.packet) - packet) <= 1)
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.seek(toPacket: 400) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.packet(atByteOffset: Int64(total)) }
    }

    @Test func fraunhofersTableToo() throws {
        let table = (0..<40).map { UInt16((offset($0 * 10 + 10) - offset($0 * 10)) / 16) }
        let header = MPEGWriter().vbri(packets: 400, bytes: 0, table: table, stretch: 10)
        let total = UInt32(header.count + offset(400))
        let file = MPEGWriter().vbri(packets: 400, bytes: total, table: table, stretch: 10) + packets.joined()
        var parser = try parser(file)
        for packet in [50, 150, 200, 233, 399] {
            let place = try parser.seek(toPacket: Int64(packet))
            #expect(place.isEstimate)
            // Each of 40 entries is up to 15 bytes short.
            #expect(abs(Int(place.byteOffset) - header.count - offset(packet)) <= 40 * 16)
        }
    }

    @Test func withoutATableTheEndsAreKnown() throws {
        let header = MPEGWriter().vbri(packets: 400, bytes: 0)
        let file = MPEGWriter().vbri(packets: 400, bytes: UInt32(header.count + offset(400))) + packets.joined()
        var parser = try parser(file)
        let place = try parser.seek(toPacket: 399)
        #expect(abs(Int(place.byteOffset) - header.count - offset(399)) <= 1_044)
    }

    @Test func constantRateWithoutPaddingIsExact() throws {
        // 48 kHz: 384 bytes each.
        let writer = MPEGWriter(MPEGWriter.layer3 | 1 << 10)
        let packets = (0..<300).map { writer.frame(seed: UInt64($0)) }
        let file = writer.xing("Info", packets: 300, bytes: 301 * 384) + packets.joined()
        var parser = try parser(file)
        let place = try parser.seek(toPacket: 250)
        #expect(place == AudioFileStreamSeek(packet: 250, byteOffset: 251 * 384))
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes.extracting(251 * 384..<file.count), discontinuity: false, into: &recorder)
        #expect(ParsedStream(events: recorder.events).packetBytes == Array(packets[250...]))
        let back = try parser.packet(atByteOffset: 384 * 200 + 17)
        #expect(back.packet == 199)
        #expect(!back.isEstimate)
    }

    @Test func exactPlaceWithoutAPacketIsDoubted() throws {
        let writer = MPEGWriter(MPEGWriter.layer3 | 1 << 10)
        let packets = (0..<300).map { writer.frame(seed: UInt64($0)) }
        // Junk that the header does not count.
        let file =
            writer.xing("Info", packets: 300, bytes: 301 * 384) + packets[..<20].joined() + payload(434)
            + packets[20...].joined()
        var parser = try parser(file)
        _ = try parser.seek(toPacket: 250)
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes.extracting(251 * 384..<file.count), discontinuity: false, into: &recorder)
        try parser.finish(into: &recorder)
        // It came out one packet early; counted on from 250 there would be 301.
        #expect(ParsedStream(events: recorder.events).packetBytes == Array(packets[249...]))
        #expect(parser.summary.packetCount == 300)
    }

    /// A table of LAME's own, beside where a scan finds the packets.
    @Test func lamesTableIsNear() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "ffmpeg -v error -f lavfi -i 'aevalsrc=if(lt(t\\,15)\\,sin(880*t)\\,random(0))*0.3:s=44100:d=30' "
                + "-c:a libmp3lame -q:a 4 v.mp3", in: directory)
        let bytes = try Tool.readFile(directory.path + "/v.mp3")
        let probe = try FFprobe.packets("v.mp3", in: directory)
        var parser = try parser(bytes)
        for packet in [200, 500, 700, 1_100] {
            let place = try parser.seek(toPacket: Int64(packet))
            #expect(place.isEstimate)
            #expect(abs(Int(place.byteOffset) - probe[packet].offset) <= bytes.count / 128)
        }
    }
}
