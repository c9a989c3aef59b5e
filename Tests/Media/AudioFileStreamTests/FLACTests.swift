import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FLACTests {
    /// What a stream of ten whole blocks and a short one is.
    private static let sizes = [Int](repeating: 4_096, count: 10) + [1_000]

    /// For the tests of cuts and mutations.
    static let files: [(name: String, bytes: [UInt8])] = {
        var writer = FLACWriter()
        writer.frameCount = 10 * 4_096 + 1_000
        let frames = writer.frames(blockSizes: Self.sizes)
        var damaged = frames
        damaged[3][200] ^= 1
        damaged[5].removeSubrange(20..<60)
        damaged.insert(payload(3_000), at: 8)
        damaged[10].removeLast(30)
        var seekTable: [UInt8] = []
        for index in [0, 4, 8] {
            seekTable.append(bigEndian: UInt64(index * 4_096))
            seekTable.append(bigEndian: UInt64(frames[..<index].reduce(0) { $0 + $1.count }))
            seekTable.append(bigEndian: UInt16(4_096))
        }
        let comments = vorbisComments(["TITLE=T", "METADATA_BLOCK_PICTURE=" + base64(pictureBlock(payload(5_000)))])
        let blocks: [(UInt8, [UInt8])] = [(3, seekTable), (4, comments), (6, pictureBlock(payload(200))), (1, [0, 0])]
        var variable = FLACWriter()
        variable.isVariable = true
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Title".utf8))
        let end = id3v1(title: "T", artist: "A", album: "B", year: "1987", track: 9)
        return [
            ("flac", tag.bytes + writer.file(blocks: blocks, frames: frames) + end),
            ("flac of varying blocks", variable.file(frames: variable.frames(blockSizes: [16, 4_608, 65_535, 100]))),
            ("damaged flac", writer.file(frames: damaged)),
        ]
    }()

    private func makeWriter(_ change: (inout FLACWriter) -> Void = { _ in }) -> FLACWriter {
        var writer = FLACWriter()
        writer.frameCount = Self.sizes.reduce(0, +)
        change(&writer)
        return writer
    }

    @Test func framesComeOutWholeWithTheirBlockSizes() {
        let writer = makeWriter()
        let frames = writer.frames(blockSizes: Self.sizes)
        let stream = parse(writer.file(frames: frames))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(stream.packets.map(\.frameCount) == Self.sizes)
        #expect(
            stream.format
                == AudioStreamFormat(codec: .flac, sampleRate: 44_100, framesPerPacket: 4_096, channelsPerFrame: 2))
        #expect(stream.properties.contains(.magicCookie(writer.streamInfo)))
        #expect(stream.properties.contains(.fileFormat(.flac)))
        #expect(stream.properties.contains(.channelLayout(AudioChannelLayout([.left, .right]))))
        #expect(stream.announcedTable?.validFrameCount == 41_960)
        #expect(stream.table == stream.announcedTable)
        #expect(stream.properties.contains(.audioDataPacketCount(11)))
        #expect(stream.properties.contains(.audioDataByteCount(Int64(frames.reduce(0) { $0 + $1.count }))))
        #expect(stream.prerollPacketCount == 0)
    }

    @Test func unknownLengthIsToldAtTheEnd() {
        let writer = makeWriter { $0.frameCount = nil }
        let stream = parse(writer.file(frames: writer.frames(blockSizes: Self.sizes)))
        #expect(stream.announcedTable == nil)
        #expect(stream.table?.validFrameCount == 41_960)
        #expect(stream.properties.contains(.audioDataPacketCount(11)))
    }

    @Test func blocksOfVaryingSizeAreNumberedBySample() {
        let writer = makeWriter {
            $0.isVariable = true
            $0.frameCount = 16 + 65_535 + 4_096 + 192
        }
        let sizes = [16, 65_535, 4_096, 192]
        let frames = writer.frames(blockSizes: sizes)
        let stream = parse(writer.file(frames: frames))
        #expect(stream.packetBytes == frames)
        #expect(stream.packets.map(\.frameCount) == sizes)
        #expect(stream.format?.framesPerPacket == 0)
        #expect(stream.table?.validFrameCount == 69_839)
    }

    @Test(arguments: [0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x1F_FFFF, 0x3FF_FFFF, 0x7FFF_FFF0])
    func numbersOfEveryLengthAreRead(first: Int) {
        let writer = makeWriter { $0.firstNumber = first }
        let frames = writer.frames(blockSizes: Self.sizes)
        #expect(parse(writer.file(frames: frames)).packetBytes == frames)
    }

    /// A frame whose payload holds headers with right checks, and a footer's worth of them.
    @Test func headersWithinAFrameAreNotTakenForItsEnd() {
        let writer = makeWriter()
        let fake = writer.frame(number: 5, payload: []).dropLast(2)
        var frames = writer.frames(blockSizes: Self.sizes)
        frames[2] = writer.frame(number: 2, payload: (0..<40).flatMap { _ in payload(30) + fake })
        #expect(parse(writer.file(frames: frames)).packetBytes == frames)
    }

    @Test func damagedFramesAreLeftOut() {
        let writer = makeWriter()
        var frames = writer.frames(blockSizes: Self.sizes)
        let expected = [0, 1, 3, 5, 6, 7, 8, 9].map { frames[$0] }
        frames[2][300] ^= 4
        frames[4].removeSubrange(100..<180)
        frames[10].removeLast(30)
        let stream = parse(writer.file(frames: frames))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == expected)
        #expect(stream.announcedTable?.validFrameCount == 41_960)
        #expect(stream.table?.validFrameCount == 32_768)
        let offsets = frames.indices.map { 42 + frames[..<$0].reduce(0) { $0 + $1.count } }
        let problems = stream.properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
        #expect(
            problems == [
                AudioStreamProblem(.skipped(byteCount: Int64(frames[2].count)), at: Int64(offsets[2])),
                AudioStreamProblem(.skipped(byteCount: Int64(frames[4].count)), at: Int64(offsets[4])),
                AudioStreamProblem(.truncated(missingByteCount: nil), at: Int64(offsets[10] + frames[10].count)),
            ])
    }

    @Test func junkBetweenFramesIsPassedOver() {
        let writer = makeWriter()
        let frames = writer.frames(blockSizes: Self.sizes)
        let junk = payload(70_000)
        let stream = parse(
            writer.file(frames: [junk] + frames.prefix(5) + [junk, junk, junk, junk] + frames.dropFirst(5)))
        // Where junk begins the frame before it has no end that could be told.
        #expect(stream.packetBytes == Array(frames.prefix(4) + frames.dropFirst(5)))
    }

    @Test func tagsInFrontAndBehindAreNotAudio() {
        let writer = makeWriter()
        let frames = writer.frames(blockSizes: Self.sizes)
        var tag = ID3v2Writer(majorVersion: 4)
        tag.paddingByteCount = 5_000
        tag.add("TIT2", [3] + Array("Title".utf8))
        for end in [id3v1(title: "T", artist: "", album: "", year: "", track: 1), apeTag(byteCount: 300)] {
            let stream = parse(tag.bytes + tag.bytes + writer.file(frames: frames) + end)
            #expect(stream.packetBytes == frames)
            #expect(stream.info(.title) == "Title")
            #expect(stream.properties.contains(.dataOffset(Int64(2 * tag.bytes.count + 42))))
        }
        #expect(parse(writer.file(frames: frames) + [UInt8](repeating: 0, count: 999)).packetBytes == frames)
    }

    @Test func tagBeforeOtherAudioIsStillRead() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Title".utf8))
        let frames = MPEGWriter().frames(5)
        let stream = parse(tag.bytes + frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.info(.title) == "Title")
        #expect(parse(tag.bytes + frames.flatMap { $0 }, hint: .flac).failure == .unsupportedFileType)
    }

    @Test func commentsAndPicturesAreRead() {
        let writer = makeWriter()
        let picture = payload(50_000)
        let comments = vorbisComments([
            "title=Tü", "ARTIST=A", "Artist=B", "ALBUM=C", "DATE=1999-01-02", "TRACKNUMBER=3", "DISCNUMBER=1",
            "REPLAYGAIN_TRACK_GAIN=-6.20 dB", "REPLAYGAIN_TRACK_PEAK=0.98", "REPLAYGAIN_ALBUM_GAIN=+1.00 dB",
            "LONG=" + String(repeating: "x", count: 9_000), "ALBUMARTIST=D", "no equals sign", "=", "EMPTY=",
            "TITLESORT=T", "ArtistSort=A, The", "ALBUMSORT=C, A", "ALBUMARTISTSORT=D, The", "ALBUMARTISTSORT=E",
            "Compilation=1", "COMPILATION=0",
        ])
        let blocks: [(UInt8, [UInt8])] = [
            (1, payload(3_000)), (6, pictureBlock(type: 1, payload(900))), (4, comments),
            (6, pictureBlock(mime: "-->", Array("http://a".utf8))), (6, pictureBlock(picture)),
            (6, pictureBlock(payload(77))), (99, payload(500)),
        ]
        let stream = parse(writer.file(blocks: blocks, frames: writer.frames(blockSizes: Self.sizes)))
        #expect(stream.packets.count == 11)
        let expected: [AudioInfoKey: String] = [
            .title: "Tü", .artist: "A", .album: "C", .year: "1999", .track: "3", .disc: "1", .trackGain: "-6.20 dB",
            .trackPeak: "0.98", .albumGain: "+1.00 dB", .albumArtist: "D", .titleSort: "T", .artistSort: "A, The",
            .albumSort: "C, A", .albumArtistSort: "D, The", .compilation: "1",
        ]
        for (key, value) in expected { #expect(stream.info(key) == value) }
        let artworks = stream.properties.compactMap { if case .artwork(let bytes) = $0 { bytes } else { nil } }
        #expect(artworks == [picture])
    }

    @Test(arguments: [3, 60_000])
    func pictureInACommentIsRead(byteCount: Int) {
        let writer = makeWriter()
        let picture = payload(byteCount)
        let text = "metadata_block_picture=" + base64(pictureBlock(picture))
        let file = writer.file(
            blocks: [(4, vorbisComments([text, "TITLE=T"]))], frames: writer.frames(blockSizes: [9]))
        let stream = parse(file)
        #expect(stream.properties.contains(.artwork(picture)))
        #expect(stream.info(.title) == "T")
    }

    @Test func layoutFollowsTheChannelMask() {
        func layout(_ fields: [String]) -> AudioChannelLayout? {
            let writer = makeWriter { $0.channels = 4 }
            let file = writer.file(blocks: [(4, vorbisComments(fields))], frames: writer.frames(blockSizes: [16]))
            return parse(file).properties.compactMap {
                if case .channelLayout(let layout) = $0 { layout } else { nil }
            }.last
        }
        #expect(layout([])?.labels == [.left, .right, .leftSurround, .rightSurround])
        let mask = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK="
        #expect(layout([mask + "0x107"])?.labels == [.left, .right, .center, .centerSurround])
        // Names another number of loudspeakers.
        #expect(layout([mask + "0x3"])?.labels == [.left, .right, .leftSurround, .rightSurround])
    }

    @Test func whatCannotBePlayedIsNamed() {
        func failure(_ change: (inout FLACWriter) -> Void) -> AudioStreamError? {
            let writer = makeWriter(change)
            return parse(writer.file(frames: [])).failure
        }
        #expect(failure { $0.sampleRate = 0 } == .unsupportedDataFormat("a sample rate of 0 Hz"))
        #expect(failure { $0.bits = 3 } == .invalidFile("FLAC samples of 3 bits at byte 8"))
        #expect(
            failure { $0.largestFrameByteCount = 200_000 }
                == .unsupportedDataFormat("FLAC frames of up to 200000 bytes"))
        #expect(failure { _ in } == .dataUnavailable)
        let bytes = Array("fLaC".utf8) + FLACWriter.block(4, vorbisComments([]))
        #expect(parse(bytes).failure == .invalidFile("no STREAMINFO at byte 4 of a FLAC file"))
        let writer = makeWriter()
        var frames = writer.frames(blockSizes: Self.sizes)
        frames[2] = writer.frame(number: 2, payload: payload(200_000))
        let large = parse(writer.file(frames: frames))
        let place = 42 + frames[0].count + frames[1].count
        #expect(large.failure == .unsupportedDataFormat("a FLAC frame of \(frames[2].count) bytes at byte \(place)"))
        #expect(large.packets.count == 2)
    }

    @Test func largestFramePasses() {
        let writer = makeWriter { $0.frameCount = 3 * 4_096 }
        var frames = writer.frames(blockSizes: [4_096, 4_096, 4_096])
        let excess = writer.frame(number: 1, payload: []).count
        frames[1] = writer.frame(number: 1, payload: payload(Limits.packetByteCount - excess))
        let stream = parse(writer.file(frames: frames))
        #expect(stream.packetBytes == frames)
        #expect(stream.failure == nil)
    }

    /// Nothing but frame headers with right checks: the search must not begin anew at each.
    @Test func headersWithoutFramesCostLinearTime() {
        let writer = makeWriter()
        func seconds(_ count: Int) -> Double {
            let header = writer.frame(number: 1, payload: []).dropLast(2)
            let bytes = writer.file(frames: (0..<count).map { header + [UInt8($0 & 0x7F)] })
            // The least of three: a machine that is busy with other things makes some dearer.
            return (0..<3).map { _ in processorSeconds { _ = parse(bytes) } }.min() ?? 0
        }
        let short = seconds(10_000)
        let long = seconds(160_000)
        // Sixteen times the bytes; quadratic time would be 256 times as much.
        #expect(long < short * 100)
    }
}
