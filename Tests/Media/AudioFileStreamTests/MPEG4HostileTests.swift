import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// MPEG-4 files cut in any way, and files that were hurt or made to hurt.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4HostileTests {
    static let files: [(name: String, bytes: [UInt8])] = {
        var writer = MPEG4Writer()
        writer.lastDuration = 100
        writer.edits = [(0, 1_024)]
        writer.betweenChunks = payload(333)
        writer.userData = MPEG4Writer.fullBox("titl", [0x15, 0xC7] + Array("Title".utf8) + [0])
        var video = MPEG4Writer(packetCount: 9)
        video.handler = "vide"
        writer.otherTracks = video.track(id: 2, offsets: [1, 2, 3])
        let mp3 = MPEG4Writer.entry("mp4a", MPEG4Writer.esds(objectType: 0x6B, []))
        var layer3 = MPEG4Writer()
        layer3.sampleEntry = mp3
        layer3.packets = MPEGWriter().frames(20)
        var reversed = writer
        reversed.isReversed = true
        let file = writer.file()
        return [
            ("in front", file), ("behind", writer.file(movieFirst: false)),
            ("behind, long", writer.file(movieFirst: false, mediaHead: .long)),
            ("open", writer.file(mediaHead: .open)), ("fragments", writer.fragmented(packetsPerFragment: 7)),
            ("announced fragments", writer.fragmented(packetsPerFragment: 7, total: 300)),
            ("layer III", layer3.file()), ("pcm", MPEG4SeekTests.pcm.file()), ("reversed", reversed.file()),
            ("cut", Array(file.dropLast(700))), ("cut in tables", Array(file.prefix(600))),
            ("trailing", file + payload(500)), ("head only", Array(file.prefix(20))),
        ]
    }()

    @Test(arguments: files.indices)
    func eventsDoNotDependOnTheCut(index: Int) {
        let (name, bytes) = Self.files[index]
        #expect(splitThatDiffers(bytes, from: parse(bytes)) == nil, "\(name)")
        let whole = parseFile(bytes).stream
        #expect(parseFile(bytes, pieces: repeatElement(1, count: .max)).stream == whole, "\(name)")
        for seed in 1...4 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let largest = [9, 100, 1_500, 50_000][Int(seed) - 1]
            let pieces = sequence(state: ()) { _ in Int.random(in: 1...largest, using: &generator) }
            #expect(parseFile(bytes, pieces: pieces).stream == whole, "\(name), seed \(seed)")
        }
    }

    /// Boxes whose sizes are larger than what they lie in, less than their heads, or huge; numbers of all kinds.
    @Test func hurtFilesAreHarmless() {
        var fates = Set<String>()
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = Self.files.randomElement(using: &generator)!.bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<min(bytes.count - 8, 1_500), using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
                case 2:
                    bytes.put(
                        bigEndian: [0, 1, 7, .max, 1 << 31].randomElement(using: &generator)! as UInt32, at: place)
                default: bytes.put(bigEndian: UInt32.random(in: 0..<20_000, using: &generator), at: place)
                }
            }
            let whole = parse(bytes)
            let pieces = sequence(state: ()) { _ in Int.random(in: 1...900, using: &generator) }
            #expect(parse(bytes, with: AudioFileStream(), pieces: pieces) == whole, "seed \(seed)")
            let (file, byteCount) = parseFile(bytes, pieces: repeatElement(2_048, count: .max))
            #expect(byteCount <= 100_000 + 8 * bytes.count, "seed \(seed)")
            #expect(file.packetBytes.joined().count <= bytes.count, "seed \(seed)")
            for stream in [whole, file] {
                fates.insert(stream.failure.map { "\($0)" } ?? "played")
                #expect(stream.packets.allSatisfy { $0.frameCount > 0 && !$0.bytes.isEmpty }, "seed \(seed)")
            }
        }
        #expect(fates.contains("played") && fates.count > 5)
    }

    @Test func boxesWithinBoxesWithoutEnd() {
        var body: [UInt8] = []
        for _ in 0..<3_000 { body = MPEG4Writer.box("moov", body) }
        #expect(parse(MPEG4Writer.fileType + body).failure == .unsupportedDataFormat("an MPEG-4 file without sound"))
    }

    @Test func sizesWithoutSense() {
        var bytes = MPEG4Writer.fileType + MPEG4Writer.numbers([5]) + Array("moov".utf8)
        #expect(parse(bytes).failure == .invalidFile("MPEG-4 box at byte 24 claims 5 bytes"))
        bytes = MPEG4Writer.fileType + MPEG4Writer.numbers([1]) + Array("moov".utf8) + MPEG4Writer.numbers([.max, 9])
        #expect(parse(bytes).failure == .invalidFile("MPEG-4 box at byte 24 claims 18446744069414584329 bytes"))
    }

    @Test func aTableLargerThanIsHeldIsRefusedAtItsHead() {
        var writer = MPEG4Writer()
        writer.movieBoxes = MPEG4Writer.box("trak", [])
        var file = writer.file()
        let place = file.indices.first { file[$0...].starts(with: Array("stsz".utf8)) }! - 4
        // All boxes around it grow as well.
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsz"] {
            let box = file.indices.first { file[$0...].starts(with: Array(name.utf8)) }! - 4
            file.put(bigEndian: UInt32(0x7000_0000), at: box)
        }
        #expect(
            parse(Array(file.prefix(place + 8))).failure
                == .unsupportedDataFormat("an MPEG-4 packet table of more than 32 MiB"))
    }

    @Test func countsWithoutBytesCostNothing() {
        var writer = MPEG4Writer(packetCount: 1)
        writer.packets = [payload(1_000)]
        writer.constantSize = (100, .max)
        writer.samplesPerChunk = .max
        let stream = parseFile(writer.file()).stream
        #expect(stream.packets.count == 10)
        writer.constantSize = (0, .max)
        #expect(parse(writer.file()).failure == .dataUnavailable)
        writer.constantSize = (.max, .max)
        #expect(parse(writer.file()).failure == .dataUnavailable)
        // Each of them too large, and in a stream nobody knows that the file ends.
        writer.constantSize = (1 << 23, .max)
        let large = parse(writer.file())
        #expect(large.failure == .dataUnavailable)
        #expect(large.reportedProblems.count == 1)
        let fragment = MPEG4Writer.box(
            "traf",
            MPEG4Writer.fullBox("tfhd", flags: 0x2_0010, MPEG4Writer.numbers([1, 1 << 23]))
                + MPEG4Writer.fullBox("trun", MPEG4Writer.numbers([.max])))
        let movie = MPEG4Writer(packetCount: 2)
        let stream2 = parse(movie.fragmented(packetsPerFragment: 2) + MPEG4Writer.box("moof", fragment))
        #expect(stream2.packetBytes == movie.packets)
        #expect(stream2.reportedProblems.count == 1)
    }

    /// Tables behind the audio that the file's end cuts, in a box that is skipped, in a head, in a body.
    @Test func tablesAtACutEndAreUsedHoweverTheyAreBrought() {
        var writer = MPEG4Writer(packetCount: 12)
        writer.userData =
            MPEG4Writer.box("free", payload(60))
            + MPEG4Writer.fullBox("titl", [0x15, 0xC7] + Array("A song".utf8) + [0])
            + MPEG4Writer.box("free", payload(9))
        let file = writer.file(movieFirst: false)
        for missing in 1...110 {
            let cut = Array(file.dropLast(missing))
            let whole = parseFile(cut).stream
            #expect(whole.packetBytes == writer.packets, "\(missing)")
            for piece in [1, 7, 100] {
                let stream = parseFile(cut, pieces: repeatElement(piece, count: .max)).stream
                #expect(stream == whole, "\(missing) missing, \(piece) at a time")
            }
        }
    }

    @Test func noPlaceIsBeforeTheFile() throws {
        var writer = MPEG4Writer(packetCount: 8)
        writer.has64BitOffsets = true
        let size = MPEG4Writer.fileType.count + writer.movie(offsets: [0, 0]).count
        // The second chunk begins so far behind that its second packet would lie beyond all numbers.
        let movie = writer.movie(offsets: [size, .max - 200])
        let file = MPEG4Writer.fileType + movie + writer.packets.prefix(4).flatMap { $0 }
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes, discontinuity: false, into: &recorder)
        #expect(try parser.place(ofPacket: 3).byteOffset == Int64(file.count - writer.packets[3].count))
        for packet in 4..<8 as Range<Int64> {
            #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: packet) }
            #expect(throws: (any Error).self) { try parser.seek(toPacket: packet) }
        }
        #expect(parser.nextByteOffset >= 0)
    }

    @Test func placesAmongCountsWithoutBytesAreFoundAtOnce() throws {
        var writer = MPEG4Writer(packetCount: 1)
        writer.packets = [payload(1_000)]
        writer.constantSize = (1, .max)
        writer.samplesPerChunk = .max
        let file = writer.file()
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes, discontinuity: false, into: &recorder)
        let start = Int64(file.count - 1_000)
        for packet in [0, 999, 4_000_000_000] as [Int64] {
            let place = try parser.place(ofPacket: packet)
            #expect(place == AudioFileStreamSeek(packet: packet, byteOffset: start + packet))
            #expect(try parser.packet(atByteOffset: start + packet) == (packet, false))
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: 1 << 32) }
    }

    @Test func numbersWhoseSumsDoNotFit() {
        // A run that ends before the flags of its first packet; a length of 2^63 - 1 in a file of fragments.
        let movie = MPEG4Writer(packetCount: 2)
        var fragments = movie.fragmented(packetsPerFragment: 2)
        let head = MPEG4Writer.fullBox("tfhd", flags: 0x2_0000, MPEG4Writer.numbers([1]))
        let run = MPEG4Writer.fullBox("trun", flags: 0x204, MPEG4Writer.numbers([1]))
        fragments += MPEG4Writer.box("moof", MPEG4Writer.box("traf", head + run))
        #expect(parse(fragments).packetBytes == movie.packets)
        var long = MPEG4Writer(packetCount: 2)
        long.movieBoxes = MPEG4Writer.box(
            "mvex", MPEG4Writer.fullBox("mehd", version: 1, MPEG4Writer.numbers([0x7FFF_FFFF, .max])))
        #expect(parse(long.fragmented(packetsPerFragment: 2)).announcedTable?.validFrameCount == nil)
        // Opus' times add up to 2^64.
        var times = MPEG4Writer(packetCount: 3)
        let box = MPEG4Writer.box("dOps", [0, 2, 0x01, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0])
        times.sampleEntry = MPEG4Writer.entry("Opus", rate: 48_000, box)
        times.timescale = 1
        times.duration = .max
        #expect(parse(times.file()).packetBytes == times.packets)
    }

    @Test func packetsThatOverlapAreGivenOnce() {
        var writer = MPEG4Writer(packetCount: 400)
        writer.packetsPerChunk = 1
        let file = writer.file()
        let start = file.count - writer.packets.reduce(0) { $0 + $1.count }
        let overlapping = MPEG4Writer.fileType + writer.movie(offsets: .init(repeating: start, count: 400))
        let stream = parseFile(overlapping + file[start...]).stream
        #expect(stream.failure == nil)
        #expect(stream.packetBytes.joined().count <= file.count)
        #expect(stream.reportedProblems.contains { "\($0)".contains("no order that can be followed") })
    }

    @Test func otherFilesWithTheSignatureAreNamed() {
        let picture = MPEG4Writer.box("ftyp", Array("heic\0\0\0\0".utf8)) + MPEG4Writer.fullBox("meta", payload(300))
        #expect(
            parse(picture).failure
                == .invalidFile("MPEG-4 tables ('moov') are missing: the file ends at byte \(picture.count)"))
        let hinted = parse(MPEG4Writer().file(), hint: .mpegLayer3)
        #expect(hinted.failure == .unsupportedFileType)
    }
}
