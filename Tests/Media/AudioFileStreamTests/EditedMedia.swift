import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// A media whose frames can be told apart by what is given of them, and edit lists for it.
struct EditedMedia: Sendable, CustomTestStringConvertible {
    private(set) var name: String
    var writer: MPEG4Writer
    /// Those of the media, where they are not the writer's.
    var packets: [[UInt8]]
    /// The first frame of each packet, and behind the last the media's end; empty where packets are cut by bytes.
    var starts: [Int64] = []
    /// That a splice must hold before the packet with its first frame, where there are as many; nil where that depends.
    var preroll: Int? = 0
    var frameCount: Int64

    var testDescription: String { name }

    private init(_ name: String, _ writer: MPEG4Writer, framesPerPacket: Int64, preroll: Int?) {
        self.name = name
        self.writer = writer
        self.preroll = preroll
        packets = writer.packets
        let count = Int64(writer.packets.count)
        starts = (0...count).map { $0 * framesPerPacket }
        frameCount = (count - 1) * framesPerPacket + Int64(writer.lastDuration ?? UInt32(framesPerPacket))
        starts[writer.packets.count] = frameCount
    }

    /// The file with these stretches, in frames.
    /// - Parameter silences: in front of each stretch but the first; none without.
    func file(_ stretches: [Range<Int64>], silences: [Int] = [], movieFirst: Bool = true) -> [UInt8] {
        edited(stretches, silences).file(movieFirst: movieFirst)
    }

    /// The same in fragments of so many packets.
    /// - Parameter described: packets that `moov` describes.
    func fragments(
        _ stretches: [Range<Int64>], silences: [Int] = [], packetsPerFragment: Int = 5, described: Int = 0
    ) -> [UInt8] {
        edited(stretches, silences).fragmented(packetsPerFragment: packetsPerFragment, described: described)
    }

    private func edited(_ stretches: [Range<Int64>], _ silences: [Int]) -> MPEG4Writer {
        var writer = writer
        writer.movieTimescale = writer.timescale
        writer.edits = []
        for (index, stretch) in stretches.enumerated() {
            let silence = index > 0 && index <= silences.count ? silences[index - 1] : 0
            if silence > 0 { writer.edits.append((UInt32(silence), -1)) }
            writer.edits.append((UInt32(stretch.count), Int32(stretch.lowerBound)))
        }
        return writer
    }

    /// Of which frames of the media what is given is made; -1 is silence.
    func frames(of packets: [(bytes: [UInt8], frameCount: Int)]) -> [Int64]? {
        if starts.isEmpty {
            let bytes = packets.flatMap(\.bytes)
            return stride(from: 0, to: bytes.count, by: 4).map { Int64(bytes.span.bytes.number(at: $0)) - 1 }
        }
        let numbers = Dictionary(zip(self.packets, 0...), uniquingKeysWith: { first, _ in first })
        func frames(_ bytes: [UInt8], _ count: Int) -> Range<Int64>? {
            numbers[bytes].map { starts[$0]..<min(starts[$0] + Int64(count), starts[$0 + 1]) }
        }
        var all: [Int64] = []
        for (bytes, frameCount) in packets {
            guard let splice = AudioPacketSplice(bytes.span.bytes) else {
                guard let range = frames(bytes, frameCount) else { return nil }
                all += range
                continue
            }
            guard !splice.packets.isEmpty else {
                all += Array(repeating: -1, count: frameCount)
                continue
            }
            var inside: [Int64] = []
            for packet in splice.packets {
                let part = Array(bytes[packet.startOffset..<packet.startOffset + packet.byteCount])
                guard let range = frames(part, packet.frameCount) else { return nil }
                inside += range
            }
            guard splice.streamFrame == inside.first else { return nil }
            all += inside.dropFirst(splice.droppedFrameCount).prefix(frameCount)
        }
        return all
    }

    /// Whether no frame of the media is in a packet.
    func isSilence(_ packet: [UInt8]) -> Bool {
        starts.isEmpty ? packet.allSatisfy { $0 == 0 } : AudioPacketSplice(packet.span.bytes)?.packets.isEmpty ?? false
    }

    /// Bytes that are given of the media.
    func soundByteCount(_ stream: ParsedStream) -> Int {
        stream.packets.reduce(0) { $0 + (isSilence($1.bytes) ? 0 : $1.bytes.count) }
    }

    /// Ascending, of all lengths and distances, also within one packet.
    func stretches(using generator: inout SeededGenerator) -> [Range<Int64>] {
        let count = Int.random(in: 2...9, using: &generator)
        var places = Set<Int64>()
        while places.count < 2 * count {
            let near = places.randomElement(using: &generator) ?? 0
            let place =
                Bool.random(using: &generator)
                ? near + .random(in: 1...30, using: &generator) : .random(in: 0...frameCount, using: &generator)
            if place <= frameCount { places.insert(place) }
        }
        let sorted = places.sorted()
        return (0..<count).map { sorted[2 * $0]..<sorted[2 * $0 + 1] }
    }

    /// Silences between so many stretches, of all lengths, and often none.
    static func silences(between count: Int, using generator: inout SeededGenerator) -> [Int] {
        (1..<count).map { _ in
            let any = Int.random(in: 1...20_000, using: &generator)
            return [0, 1, 4_095, 4_096, 4_097, any].randomElement(using: &generator)!
        }
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
        var imaMedia = EditedMedia("IMA 4:1", ima, framesPerPacket: 3_840, preroll: 0)
        imaMedia.starts = (0...60).map { $0 * 64 }
        imaMedia.packets = blocks
        return [
            EditedMedia("AAC", aac, framesPerPacket: 1_024, preroll: 1),
            EditedMedia("FLAC", flac, framesPerPacket: 4_096, preroll: 0),
            // 640 ms would be a packet more than a splice can hold.
            EditedMedia("Opus", opus, framesPerPacket: 480, preroll: 63),
            EditedMedia("MP3", mp3, framesPerPacket: 1_152, preroll: nil),
            EditedMedia("AMR", speech, framesPerPacket: 160, preroll: 32), imaMedia, pcm, bundles,
        ]
    }()

    /// AAC with packets that are shorter or longer than their time.
    static let unevenlyTimed: EditedMedia = {
        var media = all[0]
        media.name = "AAC, unevenly timed"
        media.writer.durations = (0..<40).map { [1_024, 1_000, 1_048, 500, 1_548][$0 % 5] }
        media.writer.lastDuration = nil
        // The end is where it was.
        media.writer.durations?[39] -= 324
        return media
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
        var media = EditedMedia("AMR in bundles", writer, framesPerPacket: 160, preroll: 32)
        media.packets = frames
        media.starts = (0...82).map { $0 * 160 }
        media.frameCount = 82 * 160
        return media
    }()

    /// Each frame is its number, from 1 on.
    static let pcm: EditedMedia = {
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry("sowt", [])
        writer.duration = 1
        writer.packets = (0..<4).map { chunk in
            var bytes: [UInt8] = []
            for frame in 0..<2_500 { bytes.append(bigEndian: UInt32(chunk * 2_500 + frame + 1)) }
            return bytes
        }
        (writer.packetsPerChunk, writer.samplesPerChunk, writer.constantSize) = (1, 2_500, (4, 10_000))
        writer.betweenChunks = payload(333)
        var media = EditedMedia("PCM", writer, framesPerPacket: 2_500, preroll: nil)
        media.starts = []
        media.frameCount = 10_000
        return media
    }()
}

extension RawSpan {
    func number(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
