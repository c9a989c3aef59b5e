import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// What the headers of the first frame say about the file: lengths, trims, bit rates, pre-roll.
@Suite(.timeLimit(.minutes(5)))
struct MPEGLengthTests {
    let writer = MPEGWriter()

    private func stream(_ header: [UInt8], packets: Int = 10) -> ParsedStream {
        parse(header + writer.frames(packets).flatMap { $0 })
    }

    @Test func headerFrameIsNoPacket() {
        let header = writer.xing(packets: 10)
        let stream = stream(header)
        #expect(stream.packetBytes == writer.frames(10))
        #expect(stream.properties.contains(.dataOffset(Int64(header.count))))
        #expect(stream.properties.contains(.audioDataPacketCount(10)))
    }

    @Test func delayAndPaddingOfLAMEMakeTheLengthExact() {
        let expected = AudioPacketTableInfo(
            validFrameCount: 11_520 - 1_105 - 571, primingFrameCount: 1_105, remainderFrameCount: 571)
        let stream = stream(writer.xing(packets: 10, delay: 576, padding: 1_100))
        #expect(stream.announcedTable == expected)
        #expect(stream.table == expected)
    }

    @Test func loudnessOfLAMEIsATag() {
        // A peak of 0.75; the radio gain -6.2 dB, the audiophile gain +1.5 dB, both found automatically.
        let loudness: [UInt8] = [0, 0x60, 0, 0, 0x2E, 62, 0x4C, 15]
        let header = writer.xing(packets: 10, delay: 576, loudness: loudness)
        let infos = stream(header)
        #expect(infos.info(.trackGain) == "-6.2 dB" && infos.info(.trackPeak) == "0.75")
        #expect(infos.info(.albumGain) == "1.5 dB" && infos.info(.albumPeak) == nil)
        // It is known in time.
        let gain = infos.events.firstIndex(of: .property(.info(.trackGain, "-6.2 dB"))) ?? .max
        #expect(gain < infos.events.firstIndex(of: .property(.readyToProducePackets)) ?? 0)
        // A tag wins; without a name there is no gain; other encoders say nothing.
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TXXX", [0] + Array("REPLAYGAIN_TRACK_GAIN\0-3.00 dB".utf8))
        let tagged = stream(tag.bytes + header)
        #expect(tagged.info(.trackGain) == "-3.00 dB" && tagged.info(.trackPeak) == "0.75")
        let nameless = stream(writer.xing(packets: 10, delay: 576, loudness: [0, 0, 0, 0, 0x0E, 62, 0, 0]))
        let foreign = stream(writer.xing(packets: 10, delay: 576, encoder: "Lavc59.37", loudness: loudness))
        for stream in [nameless, foreign] {
            #expect(stream.info(.trackGain) == nil && stream.info(.trackPeak) == nil)
        }
    }

    @Test func paddingShorterThanTheDecodersDelayTrimsNothing() {
        let stream = stream(writer.xing(packets: 10, delay: 576, padding: 100))
        #expect(stream.table?.validFrameCount == Int64(11_520 - 1_105))
        #expect(stream.table?.remainderFrameCount == 0)
    }

    @Test func withoutDelayAllIsAudible() {
        #expect(
            stream(writer.xing(packets: 10)).announcedTable
                == AudioPacketTableInfo(validFrameCount: 11_520, primingFrameCount: 0, remainderFrameCount: 0))
    }

    @Test func withoutHeaderTheLengthIsKnownAtTheEnd() {
        let stream = stream([])
        #expect(stream.announcedTable == nil)
        #expect(
            stream.table == AudioPacketTableInfo(validFrameCount: 11_520, primingFrameCount: 0, remainderFrameCount: 0))
    }

    @Test func delayWithoutPacketCountIsNotUsed() {
        #expect(stream(writer.xing(packets: nil, delay: 576, padding: 1_000)).table?.primingFrameCount == 0)
    }

    @Test func trimsLongerThanTheStreamAreNotBelieved() {
        let stream = stream(writer.xing(packets: 3, delay: 4_000, padding: 4_000), packets: 3)
        #expect(stream.table?.validFrameCount == Int64(3 * 1_152))
    }

    @Test func truncatedFileEndsEarlier() {
        let stream = stream(writer.xing(packets: 10, delay: 576, padding: 1_100), packets: 6)
        #expect(
            stream.table
                == AudioPacketTableInfo(
                    validFrameCount: 6 * 1_152 - 1_105, primingFrameCount: 1_105, remainderFrameCount: 0))
    }

    @Test func morePacketsThanAnnouncedVoidTheEnd() {
        let stream = stream(writer.xing(packets: 4, delay: 576, padding: 1_100), packets: 6)
        let index = stream.events.firstIndex(
            of: .property(
                .packetTableInfo(
                    AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: 1_105, remainderFrameCount: 0))))
        // Told before the fifth packet.
        #expect(index.map { stream.events[$0...].count { if case .packet = $0 { true } else { false } } } == 2)
        #expect(stream.table?.validFrameCount == Int64(6 * 1_152 - 1_105))
    }

    @Test func fraunhofersHeaderGivesLengthAndAverage() {
        let header = writer.vbri(packets: 10, bytes: 5_417)
        let stream = stream(header)
        #expect(stream.packetBytes == writer.frames(10))
        #expect(stream.announcedTable?.validFrameCount == 11_520)
        #expect(stream.bitRate == Int((Double(5_417 - header.count) * 8 * 44_100 / 11_520).rounded()))
    }

    @Test func constantRateIsTheHeaders() {
        #expect(stream(writer.xing("Info", packets: 10, bytes: 999)).bitRate == 128_000)
        #expect(stream([]).bitRate == 128_000)
    }

    @Test func varyingRateWithoutHeaderIsTheAverageAtTheEnd() {
        let frames = (0..<10).map { writer.frame(bitRateIndex: $0 % 2 == 0 ? 9 : 5) }
        let bytes = frames.flatMap { $0 }
        #expect(parse(bytes).bitRate == Int((Double(bytes.count) * 8 * 44_100 / 11_520).rounded()))
    }

    @Test func prerollCoversAFullReservoirOfTheSmallestPackets() {
        // 32 kbit/s at 44.1 kHz: packets of 104 bytes with at least 66 of main data: 8 hold 511; one more to settle.
        #expect(stream([]).prerollPacketCount == 9)
        #expect(stream(writer.xing("Info", packets: 10)).prerollPacketCount == 3)
        #expect(parse(MPEGWriter(MPEGWriter.layer2).frames(3).flatMap { $0 }).prerollPacketCount == 1)
        #expect(parse(MPEGWriter(MPEGWriter.layer1).frames(3).flatMap { $0 }).prerollPacketCount == 2)
        // 8 kbit/s at 22.05 kHz: 26 bytes, 3 of main data if there is a CRC: 85 hold 255; two more to settle.
        #expect(parse(MPEGWriter(MPEGWriter.layer3LowRate).frames(3).flatMap { $0 }).prerollPacketCount == 87)
    }
}
