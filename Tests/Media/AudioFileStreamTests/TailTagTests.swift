import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Tags at the end of a file that is at hand: read before the first packet.
@Suite(.timeLimit(.minutes(5)))
struct TailTagTests {
    private let frames = MPEGWriter().frames(60)
    private let old = id3v1(title: "Cut sho", artist: "Old", album: "Album", year: "", track: 0)

    /// The events of a file that is at hand, brought in pieces.
    private func parse(_ bytes: [UInt8], pieces: Int = 4_096) throws -> ParsedStream {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        var recorder = EventRecorder()
        do throws(AudioStreamError) {
            try parser.bring(bytes, upTo: bytes.count, pieces: pieces, into: &recorder)
            try parser.finish(into: &recorder)
            return ParsedStream(events: recorder.events)
        } catch {
            return ParsedStream(events: recorder.events, failure: error)
        }
    }

    /// What was told before the first packet.
    private func announced(_ stream: ParsedStream) -> [AudioStreamProperty] {
        stream.events.prefix { if case .packet = $0 { false } else { true } }
            .compactMap { if case .property(let property) = $0 { property } else { nil } }
    }

    @Test func areToldBeforeThePackets() throws {
        var front = ID3v2Writer(majorVersion: 3)
        front.add("TIT2", [0] + Array("Front".utf8))
        let ape = apeTag([("Artist", "Ape"), ("Title", "Ape")], pictures: [("Cover Art (Front)", payload(5_000))])
        let file = front.bytes + frames.joined() + ape + old
        let stream = try parse(file)
        let told = announced(stream)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(told.contains(.info(.title, "Front")))
        #expect(told.contains(.info(.artist, "Ape")))
        #expect(told.contains(.info(.album, "Album")))
        #expect(told.contains(.artwork(payload(5_000))))
        #expect(told.contains(.audioDataByteCount(Int64(frames.joined().count))))
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
        for pieces in [1, 100, 100_000] { #expect(try parse(file, pieces: pieces) == stream) }
    }

    @Test func footerWithoutAHeaderIsEnough() throws {
        let ape = Array(apeTag([("Title", "Ape")]).dropFirst(32))
        var footer = ape
        // Bit 31: there is a header.
        footer[footer.count - 32 + 23] = 0
        let stream = try parse(Array(frames.joined()) + footer)
        #expect(announced(stream).contains(.info(.title, "Ape")))
        #expect(stream.packetBytes == frames)
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
    }

    @Test func lastFrameThatATagCutsIsNone() throws {
        let audio = Array(frames.joined())
        let stream = try parse(Array(audio.dropLast(100)) + old)
        #expect(stream.packetBytes == Array(frames.dropLast()))
        #expect(
            stream.properties.contains(
                .problem(AudioStreamProblem(.truncated(missingByteCount: 100), at: Int64(audio.count - 100)))))
    }

    @Test func sizesBeyondTheFileAreNotBelieved() throws {
        var ape = apeTag([("Title", "Ape")])
        ape.put(bigEndian: UInt32(0xFFFF_0F00), at: ape.count - 32 + 12)
        let stream = try parse(Array(frames.joined()) + ape + old)
        #expect(stream.packetBytes == frames)
        // The header, which is met later, is right.
        #expect(stream.info(.title) == "Cut sho")
        #expect(stream.info(.artist) == "Old")
    }

    @Test func shortFilesHaveNone() throws {
        #expect(try parse(Array("short".utf8)).failure == .unsupportedFileType)
        #expect(try parse(old).failure == .dataUnavailable)
        let blocks = [payload(20)]
        #expect(try parse(ADTSWriter().file(blocks)).packetBytes == blocks)
    }
}
