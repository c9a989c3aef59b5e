import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files that ffmpeg makes of every codec that it puts into MPEG-4, QuickTime and 3GPP, against what ffprobe says.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4ToolTests {
    /// An encoder, where it is put, and what must come of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var file: String
        var options: String
        var codec: Codec
        var rate = 44_100
        var channels = 2

        /// Whether the last packet is as long as the song.
        var isExact: Bool { ![.mpegLayer3, .mpegLayer2, .ac3, .ima4].contains(codec) }

        var testDescription: String { "\(file) \(options)" }
    }

    static let cases: [Case] = [
        Case(file: "f.m4a", options: "-c:a aac", codec: .aac),
        Case(file: "f.mp4", options: "-c:a aac -ac 6", codec: .aac, rate: 48_000, channels: 6),
        Case(file: "f.mov", options: "-c:a aac -ac 1", codec: .aac, rate: 22_050, channels: 1),
        Case(file: "f.3gp", options: "-c:a aac -ac 1", codec: .aac, rate: 16_000, channels: 1),
        Case(file: "f.3g2", options: "-c:a aac", codec: .aac, rate: 8_000),
        Case(file: "f.m4a", options: "-c:a alac", codec: .alac),
        Case(file: "f.mov", options: "-c:a alac -sample_fmt s32p", codec: .alac, rate: 96_000),
        Case(file: "f.mp4", options: "-c:a libmp3lame", codec: .mpegLayer3),
        Case(file: "f.mp4", options: "-c:a libmp3lame", codec: .mpegLayer3, rate: 22_050),
        Case(file: "f.mov", options: "-c:a libmp3lame", codec: .mpegLayer3, rate: 48_000),
        Case(file: "f.mp4", options: "-c:a mp2", codec: .mpegLayer2),
        Case(file: "f.mp4", options: "-c:a ac3 -ac 6", codec: .ac3, rate: 48_000, channels: 6),
        Case(file: "f.mov", options: "-c:a ac3", codec: .ac3),
        Case(file: "f.mp4", options: "-c:a libopus", codec: .opus, rate: 48_000),
        Case(file: "f.mp4", options: "-c:a libopus -frame_duration 60 -ac 1", codec: .opus, rate: 48_000, channels: 1),
        Case(file: "f.mp4", options: "-c:a flac -strict -2", codec: .flac),
        Case(file: "f.mp4", options: "-c:a flac -strict -2 -ac 1", codec: .flac, rate: 96_000, channels: 1),
        Case(file: "f.mp4", options: "-c:a libvorbis", codec: .vorbis),
        Case(file: "f.mov", options: "-c:a pcm_s16le", codec: .linearPCM),
        Case(file: "f.mov", options: "-c:a pcm_s16be", codec: .linearPCM, rate: 32_000),
        Case(file: "f.mov", options: "-c:a pcm_s24le", codec: .linearPCM, rate: 48_000),
        Case(file: "f.mov", options: "-c:a pcm_s24be -ac 6", codec: .linearPCM, rate: 48_000, channels: 6),
        Case(file: "f.mov", options: "-c:a pcm_s32le", codec: .linearPCM, rate: 96_000),
        Case(file: "f.mov", options: "-c:a pcm_f32le", codec: .linearPCM),
        Case(file: "f.mov", options: "-c:a pcm_f64be", codec: .linearPCM),
        Case(file: "f.mov", options: "-c:a pcm_s8 -ac 1", codec: .linearPCM, channels: 1),
        Case(file: "f.mov", options: "-c:a pcm_u8", codec: .linearPCM),
        Case(file: "f.mov", options: "-c:a pcm_mulaw", codec: .muLaw),
        Case(file: "f.mov", options: "-c:a pcm_alaw -ac 1", codec: .aLaw, channels: 1),
        Case(file: "f.mov", options: "-c:a adpcm_ima_qt", codec: .ima4),
    ]

    /// How the file is laid out; `moov` is in front in all but the first.
    static let layouts = [
        "", "-movflags faststart", "-movflags frag_keyframe+empty_moov -frag_duration 500000",
        "-movflags frag_keyframe -frag_duration 700000", "-movflags dash+delay_moov -frag_duration 500000",
        "-movflags empty_moov+omit_tfhd_offset+separate_moof -frag_size 20000",
    ]

    private func make(_ test: Case, _ layout: String, _ directory: borrowing TemporaryDirectory) throws -> [UInt8] {
        // ffmpeg needs a packet of AC-3 before it can describe it.
        let layout = test.codec == .ac3 ? layout.replacing("empty_moov", with: "empty_moov+delay_moov") : layout
        let source = "-f lavfi -i sine=440:d=2.3:r=\(test.rate) -ac \(test.channels)"
        try Tool.run("ffmpeg -y -v error \(source) \(test.options) \(layout) \(test.file)", in: directory)
        return try Tool.readFile(directory.path + "/" + test.file)
    }

    /// Each case as it comes and optimized, and in one of the layouts with fragments.
    static let arguments: [(Case, String)] = cases.enumerated().flatMap { index, test in
        [0, 1, 2 + index % 4].map { (test, layouts[$0]) }
    }

    @Test(arguments: arguments)
    func packetsAreFFprobes(test: Case, layout: String) throws {
        let directory = TemporaryDirectory()
        let bytes = try make(test, layout, directory)
        let probe = try Probe(test.file, in: directory)
        let (file, _) = parseFile(bytes)
        #expect(file.failure == nil)
        #expect(file.format?.codec == test.codec)
        #expect(file.format?.sampleRate == probe.sampleRate)
        #expect(file.format?.channelsPerFrame == probe.channels)
        let packets = file.packetBytes
        #expect(packets.count == probe.packets.count)
        #expect(packets == probe.packets.map { Array(bytes[$0]) })
        if layout != Self.layouts[0] {
            #expect(parse(bytes) == file)
        } else {
            #expect(parse(bytes).failure == .notOptimized)
        }
        guard !layout.contains("frag"), !layout.contains("moov") || layout.contains("fast") else { return }
        #expect(file.table == file.announcedTable)
        let valid = try #require(file.table?.validFrameCount)
        if test.isExact {
            #expect(valid == Int64((2.3 * probe.sampleRate).rounded()))
        } else {
            // Its encoder says nothing of the last packet; the edit list is as long as thousandths of a second allow.
            #expect(abs(valid - probe.frameCount) <= Int64(probe.sampleRate / 1_000))
        }
    }

    /// The sound's chunks lie between the picture's.
    @Test(arguments: [0, 1, 2, 4])
    func aPictureIsPassedOver(layout: Int) throws {
        let directory = TemporaryDirectory()
        let picture = "-f lavfi -i testsrc=d=2.3:s=320x240:r=25 -c:v mpeg4"
        let test = Case(file: "f.mp4", options: "\(picture) -map 1:v -map 0:a -c:a aac", codec: .aac)
        let bytes = try make(test, Self.layouts[layout], directory)
        let probe = try Probe(test.file, in: directory)
        let (file, _) = parseFile(bytes)
        #expect(file.packetBytes == probe.packets.map { Array(bytes[$0]) })
        #expect(probe.packets.count > 90)
        if layout > 0 { #expect(parse(bytes) == file) }
    }
}
