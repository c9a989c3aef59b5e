import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// The same events however the bytes are cut, for every kind of file in one test each.
@Suite(.timeLimit(.minutes(5)))
struct SplitTests {
    static let files: [(name: String, bytes: [UInt8])] = {
        let writer = MPEGWriter()
        let audio = writer.frames(30).flatMap { $0 }
        var tag = ID3v2Writer(majorVersion: 3)
        tag.isUnsynchronised = true
        tag.paddingByteCount = 100
        tag.add("TIT2", [1, 0xFF, 0xFE, 0x60, 0x01])
        tag.add("APIC", [UInt8](repeating: 0xFF, count: 3_000))
        tag.add("TPE1", [0] + Array("Artist".utf8))
        let end =
            apeTag([("Title", "Ape")], pictures: [("Cover Art (Front)", payload(700))])
            + id3v1(title: "T", artist: "A", album: "B", year: "1987", track: 9)
        var wave = WAVEWriter()
        wave.between = WAVEWriter.info([("INAM", "Title")]) + WAVEWriter.chunk("odd ", payload(33))
        wave.trailing = WAVEWriter.info([("IART", "Artist")])
        var streamed = WAVEWriter()
        streamed.dataSize = 0
        streamed.bitsPerSample = 24
        var damaged = audio
        damaged.replaceSubrange(3_000..<3_100, with: payload(77))
        damaged.removeSubrange(8_000..<8_050)
        let free = MPEGWriter(MPEGWriter.freeFormat, freeFormatByteCount: 700)
        var aiff = AIFFWriter()
        aiff.frameCount = 2_000
        aiff.between = AIFFWriter.chunk("NAME", Array("Title".utf8)) + AIFFWriter.chunk("odd ", payload(33))
        aiff.trailing = AIFFWriter.chunk("ID3 ", tag.bytes)
        var ima = AIFFWriter()
        (ima.type, ima.channels, ima.frameCount) = ("ima4", 1, 40)
        var rifx = WAVEWriter()
        rifx.form = "RIFX"
        var caf = CAFWriter()
        (caf.type, caf.bytesPerPacket, caf.framesPerPacket) = ("ac-3", 0, 1_536)
        caf.between = CAFWriter.table((0..<99).map { 50 + $0 }, valid: 150_000) + CAFWriter.info([("title", "T")])
        let truncated = WAVEWriter().file(data: payload(9_001))
        return [
            ("plain", audio), ("tags", tag.bytes + audio + end),
            ("xing", writer.xing(packets: 30, bytes: 9_999, delay: 576, padding: 900) + audio),
            ("longer than announced", writer.xing(packets: 20, delay: 576, padding: 900) + audio),
            ("garbage", payload(3_000) + audio + payload(3_000) + Array("TAG".utf8) + payload(200)),
            ("damaged", damaged), ("truncated", Array(audio.dropLast(100)) + end),
            ("free format", free.frames(9).flatMap { $0 }),
            ("layer I", MPEGWriter(MPEGWriter.layer1).frames(9).flatMap { $0 }),
            ("headers only", [UInt8](repeating: 0xFF, count: 9_000)), ("junk", payload(140_000)),
            ("wave", wave.file(data: payload(4 * 5_000))),
            ("streamed wave", streamed.file(data: payload(6 * 5_000 + 1))),
            ("truncated wave", Array(truncated.dropLast(6_000))), ("chunk cut short", Array(truncated.prefix(27))),
            ("ADTS", ADTSWriter().file(ADTSWriter.blocks(60))), ("AC-3", AC3Writer().frames(15).flatMap { $0 }),
            ("AMR", AMRWriter.narrowbandMagic + AMRWriter.narrowbandFrames(200).flatMap { $0 }),
            ("AIFF", aiff.file(data: payload(4 * 2_000))), ("IMA", ima.file(data: payload(40 * 34))),
            ("NeXT/Sun", NextSunWriter().file(data: payload(9_001))),
            ("big-endian wave", rifx.file(data: payload(9_001))),
            ("CAF", caf.file(data: payload(9_001))), ("nothing", []), ("one byte", [0xFF]),
            ("text", Array("text".utf8)),
        ] + FLACTests.files + OggTests.files
    }()

    @Test(arguments: files.indices)
    func eventsDoNotDependOnTheCut(index: Int) {
        let file = Self.files[index]
        let whole = parse(file.bytes)
        let split = splitThatDiffers(file.bytes, from: whole)
        #expect(split == nil, "\(file.name)")
    }
}
