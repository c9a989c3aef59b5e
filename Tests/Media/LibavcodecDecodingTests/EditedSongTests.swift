import AudioCore
import AudioDecoding
import AudioFileStreamServices
import StreamTestKit
import Testing

/// MPEG-4 files of real encoders, of which an edit list plays some stretches: what comes out is what comes out without
/// the list, cut apart and put together, sample by sample.
///
/// ffprobe tells the same lengths. What ffmpeg decodes is no reference: where an edit ends inside the song it gives the
/// whole packet, so that it is up to a packet too long for every cut.
@Suite(.timeLimit(.minutes(10)))
struct EditedSongTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// After the input's name.
        var options: String
        var rate = 44_100
        /// How much samples may be off.
        var tolerance: Float = 0
        /// Frequencies.
        var sound = "sine 300:3000 sine 220 whitenoise"

        var testDescription: String { name + options }
    }

    static let cases: [Case] = [
        Case(name: "a.m4a", options: " -c:a alac"), Case(name: "b.m4a", options: " -c:a aac -aac_pns 0 -b:a 128k"),
        Case(name: "c.mp4", options: " -c:a libmp3lame -b:a 128k"),
        Case(name: "d.mp4", options: " -c:a libmp3lame -q:a 5", rate: 22_050),
        Case(name: "e.mp4", options: " -c:a flac -strict -2"), Case(name: "f.mov", options: " -c:a pcm_s24be"),
        Case(name: "g.mov", options: " -c:a pcm_mulaw", rate: 8_000),
        Case(name: "h.mp4", options: " -c:a libopus -b:a 96k", rate: 48_000),
        // Where nothing is coded its decoder makes noise, by a generator that goes on: without any in the sound it is
        // faint.
        Case(
            name: "i.mp4", options: " -c:a ac3 -b:a 448k", rate: 48_000, tolerance: 0x1p-13,
            sound: "sine 300:3000 sine 220 sine 55"),
        // The lower seven bits of where a block begins are those that the block before left, and nowhere else.
        Case(name: "j.mov", options: " -c:a adpcm_ima_qt", tolerance: 127 * 0x1p-15),
        Case(name: "k.mp4", options: " -c:a mp2", rate: 48_000),
    ]

    @Test(arguments: cases) func isTheWholeSongCutApart(item: Case) throws { try Self.check(item, options: "") }

    /// The same in fragments.
    @Test(arguments: cases) func isTheWholeFragmentedSongCutApart(item: Case) throws {
        // A part of a second each, or all in one.
        for duration in [150_000, 60_000_000] {
            try Self.check(item, options: " -movflags +delay_moov+default_base_moof -frag_duration \(duration)")
        }
    }

    private static func check(_ item: Case, options: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "sox -R -r \(item.rate) -n -b 16 in.wav synth 3 \(item.sound) gain -9 remix 1,3v0.3 2,3v0.2",
            in: directory)
        try Tool.run("ffmpeg -v error -i in.wav\(item.options)\(options) \(item.name)", in: directory)
        let original = try Tool.readFile(directory.path + "/" + item.name)
        let rate = Int64(item.rate)
        for (timescale, stretches) in [
            // In frames: cuts anywhere, one of a single frame, one inside a packet, a stretch of some frames.
            (
                rate,
                [
                    1_500..<rate / 2 + 77, rate / 2 + 78..<rate, rate + 100..<rate + 333, rate + 9_999..<rate + 10_017,
                    2 * rate + 1..<2 * rate + rate / 2,
                ]
            ),
            // Again, and the other way about.
            (rate, [rate..<rate + 5_000, 2_000..<9_000, 2_000..<2_100, 2 * rate..<2 * rate + 5_001]),
            // In thousandths of a second.
            (1_000, [0..<rate / 2, rate..<rate + rate / 10, 2 * rate..<2 * rate + rate / 5]),
        ] as [(Int64, [Range<Int64>])] {
            let plain = EditList.replaced(in: original, by: [0..<Int64.max], rate: rate, movieTimescale: timescale)
            let edited = EditList.replaced(in: original, by: stretches, rate: rate, movieTimescale: timescale)
            let (whole, _) = try decoded(plain)
            let (ours, table) = try decoded(edited)
            let expected = stretches.flatMap { whole[Int($0.lowerBound) * 2..<Int($0.upperBound) * 2] }
            let heard = Array(ours.dropFirst(table.primingFrameCount * 2))
            #expect(heard.count == expected.count && Int(table.validFrameCount ?? 0) * 2 == expected.count)
            let difference = largestDifference(heard, expected)
            #expect(difference <= item.tolerance, "\(item.name), \(timescale)\(options)")
        }
    }

    /// All frames of a file.
    private static func decoded(_ bytes: [UInt8]) throws -> (samples: [Float], table: AudioPacketTableInfo) {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        let stream = FileReading(bytes, pieceByteCount: 16_384).read(with: &parser) { $0.nextByteOffset }
        let decoder = try DecoderCatalog.ofTests.makeDecoder(
            for: try #require(parser.summary.format), magicCookie: parser.summary.magicCookie)
        let samples = try decodeAll(stream.packets, with: decoder)
        #expect(decoder.damagedPacketCount == 0)
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
        return (samples, try #require(parser.summary.packetTable))
    }
}
