import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Where the packets of MPEG-4 files lie, and what is told of them.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4Tests {
    private let writer = MPEG4Writer()

    @Test func propertiesComeInOrder() {
        var writer = writer
        writer.lastDuration = 300
        writer.edits = [(duration: 0, mediaTime: 1_024)]
        let file = writer.file()
        let bytes = writer.packets.reduce(0) { $0 + $1.count }
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(
            stream.properties == [
                .fileFormat(.mpeg4),
                .dataFormat(
                    AudioStreamFormat(codec: .aac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2)),
                .magicCookie([0x12, 0x10]), .channelLayout(AudioChannelLayout([.left, .right])),
                .dataOffset(Int64(file.count - bytes)), .audioDataByteCount(Int64(bytes)), .audioDataPacketCount(40),
                .packetTableInfo(
                    AudioPacketTableInfo(
                        validFrameCount: 38 * 1_024 + 300, primingFrameCount: 1_024, remainderFrameCount: 724)),
                .packetSizeUpperBound(writer.packets.map(\.count).max()!),
                .bitRate(Int((Double(bytes * 8) * 44_100 / Double(39 * 1_024 + 300)).rounded())),
                .decoderPrerollPacketCount(1), .readyToProducePackets,
            ])
        #expect(stream.packetBytes == writer.packets)
        #expect(stream.packets.allSatisfy { $0.frameCount == 1_024 })
    }

    @Test(arguments: [MPEG4Writer.MediaHead.short, .long, .open])
    func tablesBehindTheAudioNeedTheFile(head: MPEG4Writer.MediaHead) {
        guard head != .open else {
            #expect(parse(writer.file(mediaHead: .open)).packetBytes == writer.packets)
            return
        }
        let file = writer.file(movieFirst: false, mediaHead: head)
        #expect(parse(file).failure == .notOptimized)
        let (stream, byteCount) = parseFile(file, pieces: repeatElement(512, count: .max))
        #expect(stream.packetBytes == writer.packets)
        #expect(byteCount < file.count + 4_096)
        #expect(parse(writer.file(mediaHead: head)).packetBytes == writer.packets)
    }

    @Test func aStreamIsRefusedAtTheHeadOfTheAudio() {
        let file = writer.file(movieFirst: false)
        #expect(parse(Array(file.prefix(MPEG4Writer.fileType.count + 8))).failure == .notOptimized)
    }

    @Test func otherTracksBytesArePassedOver() {
        var writer = writer
        writer.betweenChunks = payload(3_000)
        var video = MPEG4Writer(packetCount: 5)
        video.handler = "vide"
        writer.otherTracks = video.track(id: 2, offsets: [1, 2])
        let file = writer.file()
        #expect(parse(file).packetBytes == writer.packets)
        let (stream, byteCount) = parseFile(file, pieces: repeatElement(256, count: .max))
        #expect(stream.packetBytes == writer.packets)
        // What lies between is not even brought.
        #expect(byteCount < file.count * 2 / 3)
    }

    @Test func theFirstEnabledTrackThatCanBePlayedIs() {
        var writer = writer
        var disabled = MPEG4Writer(packetCount: 3)
        disabled.isEnabled = false
        var foreign = MPEG4Writer(packetCount: 3)
        foreign.sampleEntry = MPEG4Writer.entry("ec-3", [])
        writer.otherTracks = disabled.track(id: 2, offsets: [1]) + foreign.track(id: 3, offsets: [1])
        #expect(parse(writer.file()).packetBytes == writer.packets)
    }

    @Test func chunksInAnyOrder() {
        var writer = MPEG4Writer(packetCount: 80)
        writer.packets = (0..<80).map { payload(900, seed: UInt64($0)) }
        writer.isReversed = true
        #expect(parse(writer.file()).failure == .notOptimized)
        let (stream, _) = parseFile(writer.file())
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == writer.packets)
    }

    @Test(arguments: [4, 8, 16, 32], [false, true])
    func tablesOfEveryWidth(sizeBits: Int, has64BitOffsets: Bool) {
        var writer = writer
        writer.sizeBits = sizeBits
        writer.has64BitOffsets = has64BitOffsets
        if sizeBits == 4 { writer.packets = (0..<41).map { payload(1 + $0 % 15, seed: UInt64($0)) } }
        writer.packetsPerChunk = 7
        #expect(parse(writer.file()).packetBytes == writer.packets)
    }

    @Test func fragmentsFollowOneAnother() {
        var writer = writer
        writer.lastDuration = 200
        writer.betweenChunks = payload(50)
        let file = writer.fragmented(packetsPerFragment: 6)
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == writer.packets)
        #expect(stream.announcedTable?.validFrameCount == nil)
        #expect(stream.table?.validFrameCount == 40_136)
        #expect(parseFile(file).stream == stream)
    }

    @Test func moreFragmentsThanAnnouncedVoidTheEnd() {
        var writer = writer
        writer.movieTimescale = 44_100
        let stream = parse(writer.fragmented(packetsPerFragment: 6, total: 10 * 1_024))
        #expect(stream.announcedTable?.validFrameCount == 10_240)
        let lengths = stream.properties.compactMap { property -> Int64?? in
            if case .packetTableInfo(let table) = property { table.validFrameCount } else { nil }
        }
        #expect(lengths == [10_240, nil, 40_960])
        let exact = parse(writer.fragmented(packetsPerFragment: 6, total: 40 * 1_024))
        #expect(exact.table == exact.announcedTable)
    }

    @Test func aFileCutShortPlaysWhatIsThere() {
        let whole = writer.file()
        let cut = Array(whole.dropLast(1_000))
        let missing = writer.packets.reversed().reduce(into: (count: 0, bytes: 0)) { sum, packet in
            if sum.bytes < 1_000 { sum = (sum.count + 1, sum.bytes + packet.count) }
        }.count
        for stream in [parse(cut), parseFile(cut).stream] {
            #expect(stream.failure == nil)
            #expect(stream.packetBytes == Array(writer.packets.dropLast(missing)))
            #expect(stream.table?.validFrameCount == Int64(40 - missing) * 1_024)
            #expect(stream.reportedProblems.count == 1)
            guard case .truncated = stream.reportedProblems.first?.kind else {
                Issue.record("\(stream.reportedProblems)")
                continue
            }
        }
    }

    @Test func tablesCutShortAreUsedAsFarAsTheyGo() {
        var writer = writer
        writer.userData = MPEG4Writer.box("free", payload(500))
        let file = Array(writer.file(movieFirst: false).dropLast(300))
        #expect(parseFile(file).stream.packetBytes == writer.packets)
    }

    @Test func withoutTablesThereIsNothing() {
        let file = writer.file(movieFirst: false)
        let cut = Array(file.prefix(file.count / 2))
        #expect(
            parseFile(cut).stream.failure
                == .invalidFile("MPEG-4 tables ('moov') are missing: the file ends at byte \(cut.count)"))
        var silent = writer
        silent.handler = "vide"
        #expect(parse(silent.file()).failure == .unsupportedDataFormat("an MPEG-4 file without sound"))
        silent = writer
        silent.packets = []
        #expect(parse(silent.file()).failure == .dataUnavailable)
    }
}
