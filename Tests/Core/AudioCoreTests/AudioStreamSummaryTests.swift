import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AudioStreamSummaryTests {
    @Test func whatIsToldAgainTakesThePlaceOfWhatWasTold() {
        var summary = AudioStreamSummary()
        for property in [
            .fileFormat(.mpegLayer3), .bitRate(128_000), .info(.title, "One"), .info(.artist, "Who"),
            .readyToProducePackets, .bitRate(160_000), .info(.title, "Two"), .audioDataPacketCount(7),
        ] as [AudioStreamProperty] { summary.note(property) }
        #expect(
            summary.properties == [
                .fileFormat(.mpegLayer3), .bitRate(160_000), .info(.title, "Two"), .info(.artist, "Who"),
                .readyToProducePackets, .audioDataPacketCount(7),
            ])
        #expect(summary.bitRate == 160_000 && summary.info == [.title: "Two", .artist: "Who"])
    }

    @Test func endlessStreamsKeepABoundedSummary() {
        var summary = AudioStreamSummary()
        let tables = AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: 0, remainderFrameCount: 0)
        for number in 0..<10_000 {
            for property in [
                .fileFormat(.ogg), .formatList([]), .magicCookie([UInt8(number & 255)]), .dataOffset(Int64(number)),
                .audioDataByteCount(Int64(number)), .audioDataPacketCount(Int64(number)), .packetTableInfo(tables),
                .packetSizeUpperBound(number), .bitRate(number), .decoderPrerollPacketCount(number),
                .channelLayout(AudioChannelLayout([.mono])), .gain(0.5), .info(.title, "\(number)"), .artwork([1]),
                .problem(AudioStreamProblem(.skipped(byteCount: 1), at: Int64(number))), .readyToProducePackets,
            ] as [AudioStreamProperty] { summary.note(property) }
        }
        #expect(summary.properties.count == 14 + Limits.streamProblemCount)
        #expect(summary.problems.map(\.byteOffset) == (0..<Int64(Limits.streamProblemCount)).map { $0 })
        #expect(summary.packetCount == 9_999)
    }
}
