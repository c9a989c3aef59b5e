import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OggTests {
    /// The file with all of it at hand.
    static func parseFile(_ bytes: [UInt8], pieceByteCount: Int = 50_000) -> ParsedStream {
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        return FileReading(bytes, pieceByteCount: pieceByteCount).read(with: &parser) { $0.nextByteOffset }
    }

    static func foreignStream(_ magic: String, pages: Int = 0) -> OggWriter {
        var writer = OggWriter(serial: 77)
        writer.add([(Array(magic.utf8) + payload(50), 0)], isFirst: true)
        for index in 0..<pages { writer.add([(payload(900, seed: UInt64(index)), Int64(index))]) }
        return writer
    }

    /// For the tests of cuts and mutations.
    static let files: [(name: String, bytes: [UInt8])] = {
        var vorbis = VorbisWriter()
        vorbis.comments = ["TITLE=T", "METADATA_BLOCK_PICTURE=" + base64(pictureBlock(payload(9_000)))]
        var writer = vorbis.writerWithHeaders()
        let blocks = (0..<40).map { $0 % 5 < 3 }
        var granule: Int64 = -100
        var packets: [OggWriter.Packet] = []
        for (index, isLong) in blocks.enumerated() {
            let frames = [isLong, index == 0 ? false : blocks[index - 1]].reduce(0) { $0 + ($1 ? 2_048 : 256) } / 4
            granule += Int64(index == 0 ? 0 : frames)
            packets.append((vorbis.packet(isLong: isLong, byteCount: 300, seed: UInt64(index)), granule))
        }
        writer.add(Array(packets[..<20]), segmentsPerPage: 9)
        writer.add(Array(packets[20...]), isLast: true, segmentsPerPage: 30)
        let opus = OpusWriter().file(packets: 60, cut: 300)
        var damaged = opus.pages
        damaged[4][200] ^= 1
        damaged.remove(at: 6)
        damaged.insert(payload(500) + Array("OggS".utf8) + payload(100), at: 3)
        var multiplexed: [UInt8] = []
        let foreign = foreignStream("\u{1}video", pages: 20)
        for index in 0..<max(opus.pages.count, foreign.pages.count) {
            if index < foreign.pages.count { multiplexed += foreign.pages[index] }
            if index < opus.pages.count { multiplexed += opus.pages[index] }
        }
        return [
            ("vorbis", writer.bytes), ("opus", opus.bytes), ("damaged opus", damaged.flatMap { $0 }),
            ("multiplexed", multiplexed), ("chain", opus.bytes + OpusWriter().file(packets: 30, serial: 9).bytes),
            ("chain of other formats", opus.bytes + writer.bytes), ("cut opus", Array(opus.bytes.dropLast(300))),
        ]
    }()

    @Test func opusIsTrimmedAtBothEnds() {
        let opus = OpusWriter().file(packets: 55, perPage: 10, cut: 500)
        for stream in [parse(opus.bytes), Self.parseFile(opus.bytes)] {
            #expect(stream.failure == nil)
            #expect(stream.packets.map(\.frameCount) == [Int](repeating: 960, count: 55))
            #expect(stream.packetBytes == (0..<55).map { OpusWriter.packet(byteCount: 100 + $0 % 7, seed: UInt64($0)) })
            #expect(
                stream.table
                    == AudioPacketTableInfo(
                        validFrameCount: 55 * 960 - 312 - 500, primingFrameCount: 312, remainderFrameCount: 500))
            #expect(stream.format == AudioStreamFormat(codec: .opus, sampleRate: 48_000, channelsPerFrame: 2))
            #expect(stream.properties.contains(.magicCookie(OpusWriter().head)))
            #expect(stream.properties.contains(.audioDataPacketCount(55)))
            #expect(stream.prerollPacketCount == 4)
        }
        #expect(parse(opus.bytes).announcedTable?.validFrameCount == nil)
        #expect(Self.parseFile(opus.bytes).announcedTable == Self.parseFile(opus.bytes).table)
    }

    /// RFC 6716 section 3.1, table 2, in tenths of a millisecond.
    @Test func opusPacketsTellTheirLength() {
        let silk = [100, 200, 400, 600]
        let sizes = silk + silk + silk + [100, 200, 100, 200] + (0..<4).flatMap { _ in [25, 50, 100, 200] }
        for (configuration, size) in sizes.enumerated() {
            for (code, count) in [(0, 1), (1, 2), (2, 2), (3, 5)] where size * count <= 1_200 {
                var writer = OpusWriter().writerWithHeaders()
                let packet = [UInt8(configuration << 3 | code), 0xC0 | UInt8(count)] + payload(20)
                writer.add([(packet, 100_000)])
                #expect(parse(writer.bytes).packets.map(\.frameCount) == [size * count * 48 / 10])
            }
        }
        var writer = OpusWriter().writerWithHeaders()
        // None, and more than 120 ms: no audio.
        writer.add([([0xFB, 0], 0), ([0xFB, 7], 0), ([], 0), ([0xFB], 0), (OpusWriter.packet(), 960)])
        #expect(parse(writer.bytes).packets.map(\.frameCount) == [960])
    }

    @Test func vorbisPacketsOverlapTheirNeighbours() {
        let vorbis = VorbisWriter()
        let blocks = [false, true, true, false, false]
        let packets = blocks.enumerated().map { vorbis.packet(isLong: $1, seed: UInt64($0)) }
        var writer = vorbis.writerWithHeaders()
        let granules: [Int64] = [0, 576, 1_600, 2_176, 2_204]
        writer.add(Array(zip(packets, granules))[..<3].map { ($0, $1) })
        writer.add(Array(zip(packets, granules))[3...].map { ($0, $1) }, isLast: true)
        for stream in [parse(writer.bytes), Self.parseFile(writer.bytes)] {
            #expect(stream.packetBytes == packets)
            #expect(stream.packets.map(\.frameCount) == [128, 576, 1_024, 576, 128])
            #expect(
                stream.table
                    == AudioPacketTableInfo(validFrameCount: 2_204, primingFrameCount: 128, remainderFrameCount: 100))
            #expect(stream.prerollPacketCount == 1)
            #expect(stream.format == AudioStreamFormat(codec: .vorbis, sampleRate: 44_100, channelsPerFrame: 2))
        }
        #expect(Self.parseFile(writer.bytes).announcedTable?.validFrameCount == 2_204)
    }

    /// Vorbis I appendix A.2: what the first granule leaves no room for comes before zero; what it exceeds was cut off.
    @Test(arguments: [(1_000, 600, 1_400), (1_600, 0, 2_000), (9_600, 0, 2_000)])
    func firstGranuleTellsTheStart(first: Int64, trimmed: Int, valid: Int64) {
        let vorbis = VorbisWriter()
        var writer = vorbis.writerWithHeaders()
        let packets = [false, true, true, false].map { vorbis.packet(isLong: $0) }
        writer.add([(packets[0], 0), (packets[1], 576), (packets[2], first)])
        writer.add([(packets[3], first + 400)], isLast: true)
        let table = AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: 128 + trimmed, remainderFrameCount: 176)
        #expect(parse(writer.bytes).table == table)
        #expect(Self.parseFile(writer.bytes).announcedTable == table)
    }

    @Test func onlyPageIsCutAtItsEnd() {
        for file in [OpusWriter().file(packets: 3, cut: 700).bytes] {
            for stream in [parse(file), Self.parseFile(file)] {
                #expect(
                    stream.table
                        == AudioPacketTableInfo(
                            validFrameCount: 3 * 960 - 312 - 700, primingFrameCount: 312, remainderFrameCount: 700))
            }
        }
    }

    @Test(arguments: [[true], [false, true], [true, false, true, true, false], (0..<64).map { $0 % 3 == 0 }])
    func modesAreReadFromTheSetupHeader(modes: [Bool]) {
        var vorbis = VorbisWriter()
        vorbis.modes = modes
        for seed in 1...20 as ClosedRange<UInt64> {
            vorbis.setupSeed = seed
            let bits = modes.count == 1 ? 0 : Int.bitWidth - (modes.count - 1).leadingZeroBitCount
            // The number of the mode, then bits that mean something else.
            let packets = modes.indices.map { [UInt8($0 << 1 | 0x80 & (0xFE << bits))] + payload(30) }
            var writer = vorbis.writerWithHeaders()
            writer.add(packets.map { ($0, 0) })
            let blocks = modes.map { $0 ? 2_048 : 256 }
            let expected = blocks.indices.map { (blocks[$0] + blocks[max(0, $0 - 1)]) / 4 }
            #expect(parse(writer.bytes).packets.map(\.frameCount) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: [false, true])
    func vorbisCookieHoldsTheHeaders(hasLongComments: Bool) {
        var vorbis = VorbisWriter()
        vorbis.comments = ["TITLE=T", "X=" + String(repeating: "y", count: hasLongComments ? 9_000 : 400)]
        var writer = vorbis.writerWithHeaders()
        writer.add([(vorbis.packet(isLong: true), 0)])
        let comments =
            hasLongComments ? Array("\u{3}vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1] : vorbis.commentHeader
        var cookie: [UInt8] = [2, 30]
        cookie += [UInt8](repeating: 255, count: comments.count / 255) + [UInt8(comments.count % 255)]
        cookie += vorbis.identification + comments + vorbis.setup
        let stream = parse(writer.bytes)
        #expect(stream.properties.contains(.magicCookie(cookie)))
        #expect(stream.info(.title) == "T")
    }

    @Test func packetsOnSeveralPagesAreJoined() {
        let packets = [100, 255, 510, 70_000, 65_025, 130_050, Limits.packetByteCount, 3].enumerated().map {
            OpusWriter.packet(byteCount: $1, seed: UInt64($0))
        }
        for segments in [1, 7, 255] {
            var writer = OpusWriter().writerWithHeaders()
            writer.add(packets.enumerated().map { ($1, Int64($0 + 1) * 960) }, isLast: true, segmentsPerPage: segments)
            #expect(parse(writer.bytes).packetBytes == packets)
            #expect(Self.parseFile(writer.bytes).table?.validFrameCount == 7_368)
        }
        var writer = OpusWriter().writerWithHeaders()
        writer.add([(OpusWriter.packet(), 960), (OpusWriter.packet(byteCount: Limits.packetByteCount + 1), 1_920)])
        let large = parse(writer.bytes)
        let place = writer.pages[0].count + writer.pages[1].count
        #expect(
            large.failure == .unsupportedDataFormat("an Ogg packet of more than 196608 bytes at byte \(place)"))
    }

    @Test func streamsBesideAreNotLookedAt() {
        let file = Self.files.first { $0.name == "multiplexed" }!
        #expect(parse(file.bytes).packetBytes == parse(OpusWriter().file(packets: 60, cut: 300).bytes).packetBytes)
        #expect(Self.parseFile(file.bytes).announcedTable?.validFrameCount == 56_988)
    }

    @Test func whatCannotBePlayedIsNamed() {
        func failure(_ writer: OggWriter...) -> AudioStreamError? { parse(writer.flatMap(\.bytes)).failure }
        #expect(failure(Self.foreignStream("Speex   ", pages: 3)) == .unsupportedDataFormat("Ogg with Speex"))
        #expect(
            failure(Self.foreignStream("fishead\0"), Self.foreignStream("????", pages: 1))
                == .unsupportedDataFormat("Ogg with Skeleton and an unknown codec"))
        #expect(
            failure(OggWriter()) == .dataUnavailable)
        var opus = OpusWriter()
        opus.family = 255
        #expect(failure(opus.writerWithHeaders()) == .unsupportedDataFormat("Opus with channel mapping family 255"))
        opus.family = 1
        opus.channels = 9
        #expect(failure(opus.writerWithHeaders()) == .unsupportedDataFormat("9 channels"))
        opus.channels = 3
        opus.mapping = [2, 1, 0, 1, 3]
        #expect(failure(opus.writerWithHeaders()) == .invalidFile("Opus's channel mapping is wrong at byte 0"))
        var vorbis = VorbisWriter()
        vorbis.sampleRate = 200
        #expect(failure(vorbis.writerWithHeaders()) == .unsupportedDataFormat("a sample rate of 200 Hz"))
        let late = OpusWriter().file(packets: 20)
        #expect(
            parse(late.pages.dropFirst(2).flatMap { $0 }).failure
                == .invalidFile("the Ogg page at byte 0 belongs to a stream that did not begin"))
        let missing = late.pages[0] + late.pages.dropFirst(2).flatMap { $0 }
        #expect(
            parse(missing).failure
                == .invalidFile("the comment header is missing in the Ogg page at byte \(late.pages[0].count)"))
    }

    @Test func familyOneHasItsLayout() {
        var opus = OpusWriter()
        (opus.family, opus.channels, opus.mapping) = (1, 6, [4, 2, 0, 4, 1, 2, 3, 5])
        let stream = parse(opus.file(packets: 5).bytes)
        #expect(stream.packets.count == 5)
        let layout = AudioChannelLayout([.left, .right, .center, .lfe, .leftSurround, .rightSurround])
        #expect(stream.properties.contains(.channelLayout(layout)))
    }

    /// The mapping's first packet, and metadata blocks, of which none need be marked as the last one.
    @Test(arguments: [(true, 0), (false, 0), (true, 1), (false, 1), (false, 2)])
    func flacInOgg(isLastMarked: Bool, commentCount: Int) {
        var flac = FLACWriter()
        flac.frameCount = 5 * 4_096
        let frames = flac.frames(blockSizes: [Int](repeating: 4_096, count: 5), payloadByteCount: 3_000)
        var writer = OggWriter()
        let isLast = isLastMarked && commentCount == 0
        let first = Array("\u{7F}FLAC".utf8) + [1, 0, 0, 0] + Array("fLaC".utf8)
        writer.add([(first + FLACWriter.block(0, flac.streamInfo, isLast: isLast), 0)], isFirst: true)
        for index in 0..<commentCount {
            let isLast = isLastMarked && index == commentCount - 1
            writer.add([(FLACWriter.block(4, vorbisComments(["TITLE=T"]), isLast: isLast), 0)])
        }
        for (index, frame) in frames.enumerated() { writer.add([(frame, Int64((index + 1) * 4_096))]) }
        for (stream, length) in [(parse(writer.bytes), Int64?.none), (Self.parseFile(writer.bytes), Int64(20_480))] {
            #expect(stream.packetBytes == frames)
            // What comes through a pipe may go on with another stream.
            #expect(stream.announcedTable?.validFrameCount == length && stream.table?.validFrameCount == 20_480)
            #expect(stream.format?.framesPerPacket == 4_096)
            #expect(stream.properties.contains(.magicCookie(flac.streamInfo)))
            #expect(stream.info(.title) == (commentCount > 0 ? "T" : nil))
            #expect(stream.prerollPacketCount == 0)
        }
    }

    /// The look at the end, too, sees the same however the bytes are cut, and comes back from a page cut short.
    @Test func fileAtHandMayBeCutAnyhow() {
        for file in Self.files {
            let whole = Self.parseFile(file.bytes, pieceByteCount: file.bytes.count)
            #expect(whole.packetBytes == parse(file.bytes).packetBytes, "\(file.name)")
            for count in [1, 100, 3_000] {
                #expect(Self.parseFile(file.bytes, pieceByteCount: count) == whole, "\(file.name), \(count)")
            }
        }
    }

    @Test func damagedPagesAreLeftOut() {
        let opus = OpusWriter().file(packets: 60, cut: 300)
        let all = parse(opus.bytes).packetBytes
        var pages = opus.pages
        pages[3][500] ^= 1
        pages[5].removeSubrange(30..<90)
        let stream = parse(pages.flatMap { $0 })
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == Array(all[..<10] + all[20..<30] + all[40...]))
        #expect(stream.table?.validFrameCount == 37_788)
        let problems = stream.properties.filter { if case .problem = $0 { true } else { false } }
        #expect(problems.count == 2)
        #expect(Self.parseFile(pages.flatMap { $0 }).table == stream.table)
    }

    /// A packet whose middle is lost is not given, nor is what follows put to it.
    @Test func packetThatLostAPageIsLeftOut() {
        let packets = (0..<3).map { OpusWriter.packet(byteCount: 2_000, seed: $0) }
        var writer = OpusWriter().writerWithHeaders()
        writer.add(packets.enumerated().map { ($1, Int64($0 + 1) * 960) }, segmentsPerPage: 3)
        for lost in 2..<6 {
            var pages = writer.pages
            pages.remove(at: lost)
            let given = parse(pages.flatMap { $0 }).packetBytes
            #expect(given.allSatisfy { packets.contains($0) } && given.count >= 1 && given.count < 3)
        }
    }

    @Test func chainGoesOnIfOneDecoderCanPlayIt() {
        let first = OpusWriter().file(packets: 60, cut: 300)
        let second = OpusWriter().file(packets: 30, cut: 100, serial: 9)
        for stream in [parse(first.bytes + second.bytes), Self.parseFile(first.bytes + second.bytes)] {
            #expect(stream.packets.count == 90)
            #expect(stream.table?.validFrameCount == 85_376)
        }
    }

    @Test func tagsAreRead() {
        var opus = OpusWriter()
        let picture = payload(300_000)
        opus.comments = [
            "TITLE=T", "R128_TRACK_GAIN=-1792", "R128_ALBUM_GAIN=-1408",
            "METADATA_BLOCK_PICTURE=" + base64(pictureBlock(picture)), "ARTIST=A",
        ]
        let stream = parse(opus.file(packets: 3).bytes)
        #expect(stream.info(.title) == "T")
        #expect(stream.info(.artist) == "A")
        #expect(stream.info(.trackGain) == "-2.00 dB")
        #expect(stream.info(.albumGain) == "-0.50 dB")
        #expect(stream.properties.contains(.artwork(picture)))
    }

    /// Nothing but capture patterns with the longest pages that could follow them: checks in vain must not add up.
    @Test func patternsWithoutPagesCostLinearTime() {
        func seconds(_ count: Int) -> Double {
            let head = Array("OggS".utf8) + [0] + [UInt8](repeating: 0, count: 21) + [255]
            var bytes = OpusWriter().writerWithHeaders().bytes
            for _ in 0..<count { bytes += head + [255, 255, 255] }
            return processorSeconds { _ = parse(bytes) }
        }
        let short = seconds(4_000)
        let long = seconds(64_000)
        // Sixteen times the bytes; quadratic time would be 256 times as much.
        #expect(long < short * 100)
    }

    @Test func seeksAreExactForWhatWentBy() throws {
        for name in ["vorbis", "opus", "multiplexed"] {
            let reading = FileReading(Self.files.first { $0.name == name }!.bytes)
            let whole = parse(reading.bytes)
            let starts = whole.packets.reduce(into: [0]) { $0.append($0.last! + $1.frameCount) }
            var parser = AudioFileStream(access: .file(byteCount: Int64(reading.bytes.count)))
            _ = reading.read(with: &parser) { $0.nextByteOffset }
            for packet in whole.packets.indices.reversed() {
                let place = try parser.seek(toPacket: Int64(packet))
                #expect(!place.isEstimate && place.packet == packet)
                let rest = reading.read(with: &parser) { $0.nextByteOffset }
                #expect(rest.packetBytes == Array(whole.packetBytes[packet...]))
                #expect(rest.packets.map(\.frameCount) == whole.packets[packet...].map(\.frameCount))
                #expect(try parser.firstFrame(ofPacket: Int64(packet)) == Int64(starts[packet]))
                #expect(try parser.packet(containingFrame: Int64(starts[packet])) == (Int64(packet), 0))
            }
            #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.seek(toPacket: 1_000_000) }
        }
    }

    @Test func estimatedSeekLandsOnAPacket() throws {
        let reading = FileReading(OpusWriter().file(packets: 2_000).bytes)
        let all = parse(reading.bytes).packetBytes
        var parser = AudioFileStream(access: .file(byteCount: Int64(reading.bytes.count)))
        var recorder = EventRecorder()
        while recorder.events.count < 20 {
            let offset = Int(parser.nextByteOffset)
            let end = min(offset + 5_000, reading.bytes.count)
            try parser.parse(reading.bytes.span.bytes.extracting(offset..<end), discontinuity: false, into: &recorder)
        }
        let place = try parser.seek(toPacket: 1_000)
        #expect(place.isEstimate)
        let rest = reading.read(with: &parser) { $0.nextByteOffset }
        let first = all.firstIndex(of: rest.packetBytes[0])!
        #expect(abs(first - 1_000) < 40)
        #expect(rest.packetBytes == Array(all[first...]))
        #expect(!rest.properties.contains { if case .problem = $0 { true } else { false } })
    }
}
