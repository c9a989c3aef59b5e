import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// WAVE's other byte order, its 64-bit sizes, its other codecs, and its seeks.
@Suite(.timeLimit(.minutes(5)))
struct WAVEVariantTests {
    @Test func bigEndianWAVE() {
        var writer = WAVEWriter()
        writer.form = "RIFX"
        writer.validBits = 12
        let data = payload(4 * 1_500)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.format?.pcm == [.signedInteger, .bigEndian])
        #expect(stream.format?.bitsPerChannel == 12)
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(stream.table?.validFrameCount == 1_500)
    }

    @Test(arguments: ["RF64", "BW64"]) func wideSizes(form: String) {
        var writer = WAVEWriter()
        writer.form = form
        writer.trailing = WAVEWriter.info([("INAM", "Behind"), ("IGNR", "Noise"), ("ICMT", "None")])
        let data = payload(4 * 1_500 + 1)
        let stream = parse(writer.file(data: data))
        #expect(stream.announcedTable?.validFrameCount == 1_500)
        #expect(stream.packetBytes.flatMap { $0 } == Array(data.dropLast()))
        #expect(stream.info(.title) == "Behind")
        #expect(stream.info(.genre) == "Noise")
        #expect(stream.info(.comment) == "None")
    }

    @Test func speakerMaskBecomesALayout() {
        func layout(_ mask: UInt32, channels: UInt16) -> AudioChannelLayout? {
            var writer = WAVEWriter()
            writer.validBits = 16
            writer.channels = channels
            writer.speakerMask = mask
            let properties = parse(writer.file(data: payload(960))).properties
            return properties.compactMap { if case .channelLayout(let layout) = $0 { layout } else { nil } }.first
        }
        #expect(layout(0x3F, channels: 6)?.labels == [.left, .right, .center, .lfe, .leftSurround, .rightSurround])
        #expect(layout(0x3, channels: 3)?.labels == [.left, .right, .unknown])
        #expect(layout(0x3F, channels: 2)?.labels == [.left, .right])
        #expect(layout(0, channels: 2) == nil)
    }

    @Test func id3ChunkIsRead() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Title".utf8))
        tag.add("TPE1", [0] + Array("Artist".utf8))
        var writer = WAVEWriter()
        writer.between = WAVEWriter.chunk("id3 ", tag.bytes) + WAVEWriter.chunk("id3 ", [1, 2, 3])
        let stream = parse(writer.file(data: payload(400)))
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.packets.count == 1)
    }

    @Test(arguments: [(6, .aLaw), (7, .muLaw)] as [(UInt16, Codec)]) func logarithmicPCM(tag: UInt16, codec: Codec) {
        var writer = WAVEWriter()
        writer.formatTag = tag
        writer.bitsPerSample = 8
        writer.sampleRate = 8_000
        let stream = parse(writer.file(data: payload(2 * 300)))
        #expect(stream.format?.codec == codec)
        #expect(stream.format?.bytesPerFrame == 2)
        #expect(stream.packets.map(\.frameCount) == [256, 44])
        #expect(stream.bitRate == 128_000)
    }

    @Test func blocksOfIMAEndWhereTheFactSays() {
        var writer = WAVEWriter()
        writer.formatTag = 0x11
        writer.bitsPerSample = 4
        writer.bytesPerFrame = 72
        writer.framesPerBlock = 65
        var fact: [UInt8] = []
        fact.append(littleEndian: UInt32(65 * 3 + 9))
        writer.between = WAVEWriter.chunk("fact", fact)
        let stream = parse(writer.file(data: payload(3 * 72 + 30)))
        #expect(stream.format?.codec == .waveIMA)
        #expect(stream.format?.bytesPerPacket == 72)
        #expect(stream.packets.map(\.frameCount) == [65, 65, 65, 17])
        #expect(stream.packets.map(\.bytes.count) == [72, 72, 72, 24])
        #expect(
            stream.table == AudioPacketTableInfo(validFrameCount: 204, primingFrameCount: 0, remainderFrameCount: 8))
    }

    @Test func blocksThatCannotBeAreRefused() {
        func failure(_ change: (inout WAVEWriter) -> Void) -> AudioStreamError? {
            var writer = WAVEWriter()
            (writer.formatTag, writer.bitsPerSample, writer.bytesPerFrame) = (0x11, 4, 72)
            change(&writer)
            return parse(writer.file(data: payload(400))).failure
        }
        #expect(failure { _ in } == nil)
        #expect(failure { $0.bitsPerSample = 3 } == .unsupportedDataFormat("WAVE with IMA ADPCM of 3 bits"))
        #expect(failure { $0.bytesPerFrame = 8 } != nil)
        #expect(failure { $0.bytesPerFrame = 71 } != nil)
    }

    @Test func enclosedMPEGIsParsedAsMPEG() {
        var writer = WAVEWriter()
        writer.formatTag = 0x55
        let frames = MPEGWriter().frames(20)
        writer.trailing = WAVEWriter.info([("INAM", "Title")])
        let file = writer.file(data: frames.flatMap { $0 })
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(stream.properties.contains(.fileFormat(.wave)))
        #expect(stream.format?.codec == .mpegLayer3)
        #expect(stream.info(.title) == "Title")
        #expect(splitThatDiffers(file, from: stream) == nil)
        #expect(
            parse(writer.file(data: payload(9_000))).failure == .invalidFile("no MP3 in the audio at byte 44"))
    }

    @Test func variantsDoNotDependOnTheCut() {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [0] + Array("Title".utf8))
        for form in ["RIFF", "RIFX", "RF64"] {
            var writer = WAVEWriter()
            writer.form = form
            if form != "RIFX" { writer.leading = WAVEWriter.chunk("id3 ", tag.bytes + [0]) }
            let file = writer.file(data: payload(20_001)) + [7, 7, 7]
            #expect(splitThatDiffers(file, from: parse(file)) == nil, "\(form)")
        }
    }

    @Test func textsBehindTheAudioAreToldFirstWhereTheFileIsAtHand() {
        var writer = WAVEWriter()
        writer.trailing = WAVEWriter.chunk("odd ", payload(5)) + WAVEWriter.info([("INAM", "Title")])
        let data = payload(8_000)
        let whole = writer.file(data: data)
        // Also with what is no chunk behind the last one, and with one cut off.
        for file in [whole, whole + [1, 2, 3], whole + Array("LIST".utf8) + [90, 0, 0, 0, 1, 2]] {
            for piece in [1, 700, 100_000] {
                let stream = parseAtHand(file, piece: piece)
                #expect(stream.failure == nil)
                #expect(stream.packetBytes.flatMap { $0 } == data)
                #expect(stream.properties.first == .info(.title, "Title"))
                #expect(stream.properties.filter { $0 == .info(.title, "Title") }.count == 1)
            }
        }
    }

    @Test func seeksAreExact() throws {
        var writer = WAVEWriter()
        writer.bitsPerSample = 24
        let data = payload(6 * 2_500)
        let file = writer.file(data: data)
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes, discontinuity: false, into: &recorder)
        #expect(try parser.seek(toPacket: 1) == AudioFileStreamSeek(packet: 1, byteOffset: 44 + 6_144))
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.seek(toPacket: 3) }
        #expect(try parser.packet(containingFrame: 2_499) == (2, 451))
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(containingFrame: 2_500) }
        #expect(try parser.firstFrame(ofPacket: 2) == 2_048)
        #expect(try parser.packet(atByteOffset: 44 + 6_143) == (0, false))
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(atByteOffset: 43) }
        var late = EventRecorder()
        try parser.parse(file.span.bytes.extracting((44 + 6_144)...), discontinuity: false, into: &late)
        try parser.finish(into: &late)
        #expect(ParsedStream(events: late.events).packetBytes == [Array(data[6_144..<12_288]), Array(data[12_288...])])
        #expect(ParsedStream(events: late.events).properties.isEmpty)
    }
}
