import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ADTSTests {
    let writer = ADTSWriter()
    let blocks = ADTSWriter.blocks(40)

    @Test(arguments: [false, true], [false, true])
    func everyFrameIsAPacketWithoutItsHeader(isMPEG2: Bool, hasCRC: Bool) {
        var writer = writer
        writer.isMPEG2 = isMPEG2
        writer.hasCRC = hasCRC
        let stream = parse(writer.file(blocks))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == blocks)
        #expect(stream.packets.allSatisfy { $0.frameCount == 1_024 })
        #expect(stream.properties.contains(.fileFormat(.adts)))
        #expect(
            stream.format
                == AudioStreamFormat(codec: .aac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2))
        #expect(stream.properties.contains(.magicCookie([0x12, 0x10])))
        #expect(stream.properties.contains(.channelLayout(AudioChannelLayout([.left, .right]))))
        #expect(stream.properties.contains(.dataOffset(0)))
        #expect(stream.table?.validFrameCount == 40_960)
    }

    @Test func cookieSaysProfileRateAndChannels() {
        var writer = writer
        writer.profile = 3
        writer.rateIndex = 11
        writer.channelConfiguration = 7
        let stream = parse(writer.file(blocks))
        // Object type 4 in five bits, rate index 11 in four, channels 7 in four.
        #expect(stream.properties.contains(.magicCookie([0b00100_101, 0b1_0111_000])))
        #expect(stream.format?.sampleRate == 8_000)
        #expect(stream.format?.channelsPerFrame == 8)
    }

    @Test func severalBlocksInAFrameAreAsManyPackets() {
        var writer = writer
        writer.hasCRC = true
        let bytes = stride(from: 0, to: 40, by: 4).flatMap { writer.frame(Array(blocks[$0..<$0 + 4])) }
        #expect(parse(bytes).packetBytes == blocks)
    }

    @Test func severalBlocksWithoutCRCCannotBeToldApart() {
        let bytes = stride(from: 0, to: 40, by: 2).flatMap { writer.frame(Array(blocks[$0..<$0 + 2])) }
        #expect(
            parse(bytes).failure
                == .unsupportedDataFormat("AAC ADTS with several blocks in a frame and no CRC"))
    }

    @Test func frameWhoseTableIsWrongIsPassedOver() {
        var writer = writer
        writer.hasCRC = true
        var frames = stride(from: 0, to: 40, by: 2).map { writer.frame(Array(blocks[$0..<$0 + 2])) }
        frames[5].put(bigEndian: UInt16(5_000), at: 7)
        #expect(parse(frames.flatMap { $0 }).packetBytes == Array(blocks[..<10] + blocks[12...]))
    }

    /// A program config element: LC, 44.1 kHz, one pair in front, one behind, one LFE, and a comment.
    private let programConfig: [UInt8] = {
        // 101 | 0000 01 0100 | 0001 0000 0001 01 000 0000 | 0 0 0 | 1 0000 | 1 0001 | 0000, aligned, comment of 2.
        [0b1010_0000, 0b1010_0000, 0b1000_0000, 0b1010_0000, 0b0000_0100, 0b0010_0010, 0, 2, 65, 66]
    }()

    @Test func channelsOfAProgramConfigElementGoIntoTheCookie() {
        var writer = writer
        writer.channelConfiguration = 0
        let stream = parse(writer.file(blocks.map { programConfig + $0 }))
        #expect(stream.failure == nil)
        #expect(stream.format?.channelsPerFrame == 5)
        // The element three bits earlier, aligned anew, without its comment.
        #expect(
            stream.properties.contains(
                .magicCookie([
                    0x12, 0x00, 0b0000_0101, 0b0000_0100, 0b0000_0101, 0b0000_0000, 0b0010_0001, 0b0001_0000, 0,
                ])))
        #expect(!stream.properties.contains { if case .channelLayout = $0 { true } else { false } })
    }

    @Test func streamsThatCannotBePlayedAreRefusedByName() {
        func failure(_ change: (inout ADTSWriter) -> Void) -> AudioStreamError? {
            var writer = writer
            change(&writer)
            return parse(writer.file(blocks.map { [0x21] + $0 })).failure
        }
        #expect(failure { $0.profile = 2 } == .unsupportedDataFormat("AAC SSR"))
        #expect(failure { $0.rateIndex = 12 } == .unsupportedDataFormat("AAC at 7350 Hz"))
        #expect(
            failure { $0.channelConfiguration = 0 }
                == .unsupportedDataFormat("AAC ADTS that does not say its channels"))
    }

    @Test func tagsAndJunkAreNoPackets() {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("Title".utf8))
        let end = id3v1(title: "T", artist: "Artist", album: "", year: "", track: 0)
        let front = tag.bytes + payload(3_000)
        let middle = payload(777)
        let bytes = front + writer.file(Array(blocks[..<9])) + middle + writer.file(Array(blocks[9...])) + end
        let stream = parse(bytes)
        #expect(stream.packetBytes == blocks)
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.properties.contains(.dataOffset(Int64(front.count))))
        #expect(splitThatDiffers(bytes, from: stream) == nil)
    }

    @Test func bitRateIsTheAverageOfTheFirstFramesThenOfAll() {
        let blocks = ADTSWriter.blocks(32) + (0..<600).map { payload(900, seed: $0) }
        let bytes = writer.file(blocks)
        let stream = parse(bytes)
        let rates = stream.properties.compactMap { if case .bitRate(let rate) = $0 { rate } else { nil } }
        func average(_ count: Int) -> Int {
            Int((Double(writer.file(Array(blocks[..<count])).count) * 8 * 44_100 / 1_024 / Double(count)).rounded())
        }
        #expect(rates == [average(32), average(256), average(632)])
        #expect(splitThatDiffers(bytes, from: stream) == nil)
    }

    @Test func hintRulesOutOtherKinds() {
        let bytes = writer.file(blocks)
        #expect(parse(bytes, hint: .adts).packetBytes == blocks)
        #expect(parse(bytes, hint: .mpegLayer3).failure == .unsupportedFileType)
        #expect(parse(MPEGWriter().frames(9).flatMap { $0 }, hint: .adts).failure == .unsupportedFileType)
    }
}
