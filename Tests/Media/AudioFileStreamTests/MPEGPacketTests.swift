import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Which bytes become packets.
@Suite(.timeLimit(.minutes(5)))
struct MPEGPacketTests {
    let writer = MPEGWriter()

    @Test(arguments: [
        (MPEGWriter.layer3, Codec.mpegLayer3, AudioFileType.mpegLayer3, 44_100.0, 1_152),
        (MPEGWriter.layer3LowRate, .mpegLayer3, .mpegLayer3, 22_050, 576),
        (MPEGWriter.layer2, .mpegLayer2, .mpegLayer2, 48_000, 1_152),
        (MPEGWriter.layer1, .mpegLayer1, .mpegLayer1, 32_000, 384),
    ])
    func everyFrameIsAPacket(
        word: UInt32, codec: Codec, type: AudioFileType, rate: Double, framesPerPacket: Int
    ) {
        let frames = MPEGWriter(word).frames(9)
        let stream = parse(frames.flatMap { $0 })
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(stream.packets.allSatisfy { $0.frameCount == framesPerPacket })
        #expect(stream.format?.codec == codec)
        #expect(stream.format?.sampleRate == rate)
        #expect(stream.format?.framesPerPacket == framesPerPacket)
        #expect(stream.properties.contains(.fileFormat(type)))
        #expect(stream.properties.contains(.dataOffset(0)))
    }

    @Test func readyComesLastBeforeThePackets() {
        let stream = parse(writer.frames(3).flatMap { $0 })
        let index = stream.events.firstIndex { if case .packet = $0 { true } else { false } }
        #expect(index.map { stream.events[$0 - 1] } == .property(.readyToProducePackets))
    }

    @Test func monoHasOneChannel() {
        let stream = parse(MPEGWriter(MPEGWriter.layer3 | 3 << 6).frames(3).flatMap { $0 })
        #expect(stream.format?.channelsPerFrame == 1)
    }

    @Test func garbageInFrontIsSkipped() {
        let frames = writer.frames(5)
        let stream = parse(payload(5_000) + frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.properties.contains(.dataOffset(5_000)))
    }

    @Test func headersByChanceInGarbageAreNotBelieved() {
        var garbage = payload(5_000)
        garbage.put(bigEndian: MPEGWriter.layer3, at: 100)
        garbage.put(bigEndian: MPEGWriter.layer2, at: 1_200)
        // Two in the right distance, a third missing.
        garbage.put(bigEndian: MPEGWriter.layer3LowRate, at: 3_000)
        garbage.put(bigEndian: MPEGWriter.layer3LowRate, at: 3_000 + writerLowRate.frame().count)
        let frames = writer.frames(5)
        #expect(parse(garbage + frames.flatMap { $0 }).packetBytes == frames)
    }

    private let writerLowRate = MPEGWriter(MPEGWriter.layer3LowRate)

    @Test func junkBetweenPacketsIsSkipped() {
        let frames = writer.frames(8)
        let bytes = frames[..<3].flatMap { $0 } + payload(777) + frames[3...].flatMap { $0 }
        #expect(parse(bytes).packetBytes == frames)
    }

    @Test func damagedHeaderCostsOnePacket() {
        var frames = writer.frames(8)
        frames[4][1] = 0
        let stream = parse(frames.flatMap { $0 })
        frames.remove(at: 4)
        #expect(stream.packetBytes == frames)
    }

    @Test func packetOfAnotherFormatIsJunk() {
        let frames = writer.frames(8)
        let bytes = frames[..<4].flatMap { $0 } + writerLowRate.frame() + frames[4...].flatMap { $0 }
        #expect(parse(bytes).packetBytes == frames)
    }

    @Test func truncatedLastPacketIsDropped() {
        let frames = writer.frames(5)
        let bytes = frames.flatMap { $0 }
        let stream = parse(Array(bytes.dropLast(10)))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == Array(frames.dropLast()))
    }

    @Test func oneWholePacketIsAStream() {
        let frames = writer.frames(1)
        #expect(parse(frames[0]).packetBytes == frames)
    }

    @Test func oneTruncatedPacketIsNone() {
        #expect(parse(Array(writer.frame().dropLast())).failure == .unsupportedFileType)
    }

    @Test func tagsAloneAreNoStream() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Title".utf8))
        #expect(parse(tag.bytes).failure == .dataUnavailable)
    }

    @Test(arguments: [false, true])
    func freeFormatSizeIsFound(isShort: Bool) {
        let writer = MPEGWriter(MPEGWriter.freeFormat, freeFormatByteCount: isShort ? 60 : 1_306)
        let frames = writer.frames(7)
        let stream = parse(payload(50) + frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.bitRate == (isShort ? 60 : 1_306) * 8 * 44_100 / 1_152)
    }

    @Test func gapIsFollowedByTheNextWholePacket() throws {
        let frames = writer.frames(9)
        let bytes = frames.flatMap { $0 }
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(bytes.span.bytes.extracting(0..<1_000), discontinuity: false, into: &recorder)
        try parser.parse(bytes.span.bytes.extracting(2_000..<bytes.count), discontinuity: true, into: &recorder)
        try parser.finish(into: &recorder)
        let packets = ParsedStream(events: recorder.events).packetBytes
        #expect(packets == Array(frames[..<2] + frames[5...]))
    }

    @Test func gapBeforeThePacketsCannotBeRecovered() {
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        let bytes = writer.frame()
        #expect(throws: AudioStreamError.discontinuityCannotRecover) {
            try parser.parse(bytes.span.bytes, discontinuity: true, into: &recorder)
        }
    }
}
