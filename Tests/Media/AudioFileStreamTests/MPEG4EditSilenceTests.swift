import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Silence that an edit list puts between stretches of the media: no byte of the file is in it.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditSilenceTests {
    private typealias Edits = [(UInt32, Int32)]

    private func parsed(_ edits: Edits, rates: [Int: UInt32] = [:]) -> ParsedStream {
        var writer = MPEG4Writer()
        (writer.edits, writer.editRates) = (edits, rates)
        let file = writer.file()
        let stream = parse(file)
        #expect(splitThatDiffers(file, from: stream) == nil)
        return stream
    }

    /// A splice without packets is silence; behind it the decoder begins as behind any cut.
    @Test func silenceIsPacketsOfItsOwn() {
        // To frame 5,434, which is in packet 5; 9,261 frames of silence; from there on.
        let stream = parsed([(100, 1_024), (210, -1), (100, 5_434)])
        let silent = AudioPacketSplice.bytes(dropping: 0, of: [])
        let packets = stream.packets
        #expect(packets.prefix(6).map(\.bytes) == Array(MPEG4Writer().packets.prefix(6)))
        #expect(packets[5].frameCount == 5_434 - 5 * 1_024)
        #expect(packets[6..<9].map(\.bytes) == [silent, silent, silent])
        #expect(packets[6..<9].map(\.frameCount) == [4_096, 4_096, 1_069])
        let bytes = packets[9].bytes
        let splice = AudioPacketSplice(bytes.span.bytes)
        #expect(splice?.packets.count == 2 && splice?.streamFrame == 4 * 1_024)
        #expect(stream.toldProblems == [])
    }

    /// A picture that stands still has no sound.
    @Test func standstillIsSilence() {
        let silence = parsed([(100, 1_024), (500, -1), (100, 20_000)])
        let still = parsed([(100, 1_024), (500, 7_000), (100, 20_000)], rates: [1: 0])
        #expect(still.toldProblems == [] && still.packets.map(\.bytes) == silence.packets.map(\.bytes))
        #expect(still.table == silence.table && still.table?.validFrameCount == 4_410 + 22_050 + 4_410)
        // In front and behind it is not played, as all silence there.
        let around = parsed([(9, 500), (100, 1_024), (9, 600)], rates: [0: 0, 2: 0])
        #expect(around.toldProblems == [] && around.table?.validFrameCount == 4_410)
        #expect(parsed([(100, 1_024), (500, 7_000), (100, 20_000)], rates: [1: 0x8000]).toldProblems.count == 1)
    }

    @Test(
        arguments: [
            ("sowt", 2, [0, 0]), ("raw ", 1, [0x80]), ("fl32", 4, [0, 0, 0, 0]), ("ulaw", 1, [0xFF]),
            ("alaw", 1, [0xD5]),
        ] as [(String, UInt32, [UInt8])])
    func silenceOfSamplesIsZero(type: String, byteCount: UInt32, zero: [UInt8]) {
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry(type, channels: 1, bits: type == "raw " ? 8 : 16, [])
        let data = payload(1_000 * Int(byteCount), seed: 7)
        writer.packets = [data]
        (writer.duration, writer.packetsPerChunk, writer.samplesPerChunk) = (1, 1, 1_000)
        writer.constantSize = (byteCount, 1_000)
        writer.movieTimescale = 44_100
        writer.edits = [(300, 0), (5_000, -1), (500, 400)]
        let file = writer.file()
        let stream = parse(file)
        let size = Int(byteCount)
        let expected = data[..<(300 * size)] + (0..<5_000).flatMap { _ in zero } + data[(400 * size)..<(900 * size)]
        #expect(stream.packets.flatMap(\.bytes) == Array(expected))
        #expect(stream.table?.validFrameCount == 5_800 && stream.announcedTable == stream.table)
        #expect(stream.toldProblems == [] && splitThatDiffers(file, from: stream) == nil)
        #expect(parseFile(file).stream == stream)
    }

    /// As bytes there is less of it than as packets that only say so.
    @Test func lengthIsBounded() {
        for (frameCount, isPCM, isFollowed) in [
            (1 << 23, true, true), (1 << 23 + 1, true, false), (1 << 27, false, true), (1 << 27 + 1, false, false),
            (Int(UInt32.max), false, false),
        ] as [(Int, Bool, Bool)] {
            let media = isPCM ? EditedMedia.pcm : EditedMedia.all[0]
            let file = media.file([0..<2_000, 2_000..<6_000], silences: [frameCount])
            let stream = parse(file)
            #expect(stream.toldProblems.isEmpty == isFollowed, "\(frameCount)")
            #expect(stream.table?.validFrameCount == Int64(isFollowed ? 6_000 + frameCount : 6_000))
        }
    }
}
