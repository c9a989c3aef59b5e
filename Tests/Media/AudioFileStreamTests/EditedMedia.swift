import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// A media of each kind, and edit lists that trim it.
struct EditedMedia: Sendable, CustomTestStringConvertible {
    private let name: String
    var writer: MPEG4Writer
    /// As they are given.
    private(set) var packets: [[UInt8]]
    /// By its times.
    private(set) var frameCount: Int64

    var testDescription: String { name }

    private init(_ name: String, _ writer: MPEG4Writer, framesPerPacket: Int64) {
        self.name = name
        self.writer = writer
        packets = writer.packets
        let last = Int64(writer.lastDuration ?? UInt32(framesPerPacket))
        frameCount = Int64(writer.packets.count - 1) * framesPerPacket + last
    }

    /// A writer of the file of which these frames are heard.
    func trimmed(to frames: Range<Int64>) -> MPEG4Writer {
        var writer = writer
        writer.movieTimescale = writer.timescale
        writer.edits = [(UInt32(frames.count), Int32(frames.lowerBound))]
        return writer
    }

    static let all: [EditedMedia] = {
        var aac = MPEG4Writer()
        aac.lastDuration = 700
        aac.betweenChunks = payload(99)
        var flac = MPEG4Writer()
        flac.sampleEntry = MPEG4Writer.entry(
            "fLaC", MPEG4Writer.fullBox("dfLa", [0x80, 0, 0, 34] + FLACWriter().streamInfo))
        flac.duration = 4_096
        flac.lastDuration = 17
        var opus = MPEG4Writer()
        opus.sampleEntry = MPEG4Writer.entry(
            "Opus", rate: 48_000, MPEG4Writer.box("dOps", [0, 2, 0x01, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0]))
        opus.timescale = 48_000
        opus.duration = 480
        opus.packets = opus.packets.map { [0xF4] + $0 }
        var mp3 = MPEG4Writer()
        mp3.sampleEntry = MPEG4Writer.entry("mp4a", MPEG4Writer.esds(objectType: 0x6B, []))
        mp3.duration = 1_152
        mp3.packets = (0..<40).map { MPEGWriter().frame(seed: UInt64($0), isPadded: $0 % 3 == 2, bitRateIndex: 1) }
        var ima = MPEG4Writer()
        ima.sampleEntry = MPEG4Writer.entry("ima4", version: 1, fields: MPEG4Writer.numbers([64, 34, 68, 2]), [])
        let blocks = (0..<60).map { payload(68, seed: $0) }
        ima.packets = [blocks.flatMap { $0 }]
        (ima.duration, ima.packetsPerChunk, ima.samplesPerChunk, ima.constantSize) = (1, 1, 3_840, (1, 3_840))
        var speech = MPEG4Writer()
        speech.sampleEntry = MPEG4Writer.entry(
            "samr", channels: 1, rate: 8_000, MPEG4Writer.box("damr", Array("xyzw".utf8) + [0, 0x81, 0xFF, 0, 1]))
        (speech.timescale, speech.duration) = (8_000, 160)
        speech.packets = (0..<40).map { AMRWriter.frame(type: 7, byteCount: 32, seed: $0) }
        var imaMedia = EditedMedia("IMA 4:1", ima, framesPerPacket: 3_840)
        imaMedia.packets = blocks
        return [
            EditedMedia("AAC", aac, framesPerPacket: 1_024), EditedMedia("FLAC", flac, framesPerPacket: 4_096),
            EditedMedia("Opus", opus, framesPerPacket: 480), EditedMedia("MP3", mp3, framesPerPacket: 1_152),
            EditedMedia("AMR", speech, framesPerPacket: 160), imaMedia, pcm, bundles,
        ]
    }()

    /// Speech with seven frames in a sample, and five in the last.
    static let bundles: EditedMedia = {
        let lengths = [13, 14, 16, 18, 20, 21, 27, 32]
        let frames = (0..<82).map { number in
            let type = number % lengths.count
            return AMRWriter.frame(type: UInt8(type), byteCount: lengths[type], seed: UInt64(number))
        }
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry(
            "samr", channels: 1, rate: 8_000, MPEG4Writer.box("damr", Array("xyzw".utf8) + [0, 0x81, 0xFF, 0, 7]))
        (writer.timescale, writer.duration, writer.lastDuration) = (8_000, 7 * 160, 5 * 160)
        writer.packets = stride(from: 0, to: 82, by: 7).map { frames[$0..<min(82, $0 + 7)].flatMap { $0 } }
        writer.packetsPerChunk = 3
        writer.betweenChunks = payload(55)
        var media = EditedMedia("AMR in bundles", writer, framesPerPacket: 7 * 160)
        media.packets = frames
        return media
    }()

    private static let pcm: EditedMedia = {
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry("sowt", [])
        writer.duration = 1
        writer.packets = (0..<4).map { payload(10_000, seed: $0) }
        (writer.packetsPerChunk, writer.samplesPerChunk, writer.constantSize) = (1, 2_500, (4, 10_000))
        writer.betweenChunks = payload(333)
        return EditedMedia("PCM", writer, framesPerPacket: 2_500)
    }()
}

extension RawSpan {
    func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
