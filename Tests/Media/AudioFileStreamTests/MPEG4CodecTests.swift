import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// What the descriptions of MPEG-4 and QuickTime files say of their sound.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4CodecTests {
    private func parseEntry(_ entry: [UInt8], packets: [[UInt8]]? = nil, duration: UInt32 = 1_024) -> ParsedStream {
        var writer = MPEG4Writer(packetCount: 3)
        writer.sampleEntry = entry
        writer.duration = duration
        if let packets { writer.packets = packets }
        return parse(writer.file())
    }

    private func formats(_ stream: ParsedStream) -> [AudioStreamFormat] {
        stream.properties.compactMap { if case .formatList(let list) = $0 { list } else { nil } }.last ?? []
    }

    private func layout(_ stream: ParsedStream) -> AudioChannelLayout? {
        stream.properties.compactMap { if case .channelLayout(let layout) = $0 { layout } else { nil } }.last
    }

    private func cookie(_ stream: ParsedStream) -> [UInt8]? {
        stream.properties.compactMap { if case .magicCookie(let cookie) = $0 { cookie } else { nil } }.last
    }

    /// ISO/IEC 14496-3 section 1.6.5: an object type in front (5, 29), or an extension at the end.
    @Test(arguments: [
        // 22.05 kHz stereo, 44.1 kHz in front.
        ([0x2B, 0x92, 0x08, 0x00] as [UInt8], Codec.aacHE, 44_100.0, 2, 2_048),
        // 22.05 kHz mono with parametric stereo in front.
        ([0xEB, 0x8A, 0x08, 0x00], .aacHEv2, 44_100, 2, 2_048),
        // 24 kHz stereo LC, replication to 48 kHz at the end.
        ([0x13, 0x10, 0x56, 0xE5, 0x98], .aacHE, 48_000, 2, 2_048),
        // 24 kHz mono LC, both at the end.
        ([0x13, 0x08, 0x56, 0xE5, 0x9D, 0x48, 0x80], .aacHEv2, 48_000, 2, 2_048),
        // An extension that says that there is none.
        ([0x12, 0x10, 0x56, 0xE5, 0x00], .aac, 44_100, 2, 1_024),
        // 960 frames; a rate of its own in 24 bits.
        ([0x12, 0x14], .aac, 44_100, 2, 960),
        ([0x17, 0x80, 0x5D, 0xC0, 0x10], .aac, 48_000, 2, 1_024),
    ])
    func layersOfAAC(config: [UInt8], codec: Codec, rate: Double, channels: Int, frames: Int) {
        let stream = parseEntry(MPEG4Writer.aac(config))
        #expect(
            stream.format
                == AudioStreamFormat(
                    codec: codec, sampleRate: rate, framesPerPacket: frames, channelsPerFrame: channels))
        #expect(cookie(stream) == config)
        let list = formats(stream)
        #expect(list.count == [.aacHEv2: 3, .aacHE: 2][codec] ?? 0)
        #expect(list.first == nil || list.first == stream.format)
        #expect(list.last == nil || list.last?.framesPerPacket == 1_024)
        #expect(stream.packets.allSatisfy { $0.frameCount == frames })
    }

    @Test func channelsOfAProgramConfigElement() {
        // One front pair, one single element in front, one pair behind, one for low frequencies.
        var bits = "00010" + "0011" + "0000" + "000" + "0000" + "01" + "0011" + "0010" + "0000" + "0001" + "01" + "000"
        bits += "0000" + "000" + "0" + "0000" + "1" + "0001" + "1" + "0010" + "0000"
        while bits.count % 8 != 0 { bits += "0" }
        bits += "00000000"
        let bytes = stride(from: 0, to: bits.count, by: 8).map { UInt8(bits.dropFirst($0).prefix(8), radix: 2)! }
        #expect(parseEntry(MPEG4Writer.aac(bytes)).format?.channelsPerFrame == 6)
    }

    @Test func whatCannotBePlayedIsNamed() {
        #expect(
            parseEntry(MPEG4Writer.entry("ec-3", [])).failure == .unsupportedDataFormat("MPEG-4 with E-AC-3"))
        #expect(
            parseEntry(MPEG4Writer.entry("drms", [])).failure == .unsupportedDataFormat("MPEG-4 with encrypted sound"))
        #expect(
            parseEntry(MPEG4Writer.entry("x\u{1}yz", [])).failure
                == .unsupportedDataFormat("MPEG-4 with sound of type 'x?yz'"))
        #expect(
            parseEntry(MPEG4Writer.aac([0xF9, 0x46, 0x40])).failure
                == .unsupportedDataFormat("MPEG-4 with xHE-AAC"))
        #expect(
            parseEntry(MPEG4Writer.entry("mp4a", [])).failure
                == .invalidFile("MPEG-4 sound has no description of its codec at byte 353"))
        #expect(
            parseEntry(MPEG4Writer.entry("sowt", channels: 9, [])).failure == .unsupportedDataFormat("9 channels"))
    }

    @Test(arguments: [0x6B, 0x69] as [UInt8])
    func layersOfMPEGAudioAreTheFirstPackets(objectType: UInt8) {
        let entry = MPEG4Writer.entry("mp4a", MPEG4Writer.esds(objectType: objectType, [], bitRate: 128_000))
        for (word, codec, rate) in [
            (MPEGWriter.layer3, Codec.mpegLayer3, 44_100.0), (MPEGWriter.layer2, .mpegLayer2, 48_000),
            (MPEGWriter.layer3LowRate, .mpegLayer3, 22_050),
        ] {
            let stream = parseEntry(entry, packets: MPEGWriter(word).frames(5))
            #expect(stream.format?.codec == codec)
            #expect(stream.format?.sampleRate == rate)
            #expect(stream.packets.allSatisfy { $0.frameCount == stream.format?.framesPerPacket })
        }
    }

    @Test func opusHeaderIsTheOneOfOgg() {
        let box = MPEG4Writer.box("dOps", [0, 2, 0x01, 0x38, 0, 0, 0xBB, 0x80, 0xFF, 0x00, 0])
        // 20 ms of CELT, twice 10 ms of SILK, three of 2.5 ms.
        let packets: [[UInt8]] = [[0xF8, 1], [0x01, 2], [0x83, 0x03, 3]]
        let stream = parseEntry(MPEG4Writer.entry("Opus", rate: 48_000, box), packets: packets, duration: 960)
        #expect(cookie(stream) == Array("OpusHead".utf8) + [1, 2, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0x00, 0xFF, 0])
        #expect(stream.packets.map(\.frameCount) == [960, 960, 360])
        #expect(stream.table?.primingFrameCount == 312)
        #expect(stream.prerollPacketCount == 4)
    }

    @Test func lastPacketOfAppleLosslessSaysItsLength() {
        var cookie =
            MPEG4Writer.numbers([4_096]) + [0, 16, 40, 10, 14, 2, 0, 255] + MPEG4Writer.numbers([0, 0, 44_100])
        cookie = MPEG4Writer.fullBox("alac", cookie)
        let full: [UInt8] = [0x20, 0, 0, 9, 9, 9, 9, 9]
        // The flag, and 1,000 in the 32 bits from bit 23 on.
        let last: [UInt8] = [0x20, 0, 0x10, 0, 0, 7, 0xD0, 9]
        for entry in [
            MPEG4Writer.entry("alac", cookie),
            MPEG4Writer.entry(
                "alac", version: 1, fields: MPEG4Writer.numbers([4_096, 0, 0, 2]), MPEG4Writer.box("wave", cookie)),
        ] {
            let stream = parseEntry(entry, packets: [full, full, last], duration: 4_096)
            #expect(stream.packets.map(\.frameCount) == [4_096, 4_096, 1_000])
            #expect(stream.format?.framesPerPacket == 4_096)
            #expect(stream.table?.validFrameCount == 9_192)
            #expect(stream.announcedTable?.validFrameCount == 12_288)
        }
    }

    @Test func speechOf3GPP() {
        let frames = (0..<4).map { _ in [0x3C] + payload(31) }
        let stream = parseEntry(
            MPEG4Writer.entry("samr", MPEG4Writer.box("damr", [0, 0, 0, 0, 0, 0, 0, 0, 1])), packets: frames,
            duration: 160)
        #expect(
            stream.format
                == AudioStreamFormat(
                    codec: .amrNarrowband, sampleRate: 8_000, framesPerPacket: 160, channelsPerFrame: 1))
        #expect(stream.packetBytes == frames)
        #expect(parseEntry(MPEG4Writer.entry("sawb", [])).format?.codec == .amrWideband)
    }

    @Test func dolbysConfigurationIsBelieved() {
        // 44.1 kHz, 3/2 channels and low frequencies, though the description says stereo at 48 kHz.
        let box = MPEG4Writer.box("dac3", [0x50, 0x3D, 0xE0])
        let stream = parseEntry(MPEG4Writer.entry("ac-3", rate: 48_000, box), duration: 1_536)
        #expect(stream.format?.channelsPerFrame == 6)
        #expect(stream.format?.sampleRate == 44_100)
    }

    // MARK: Linear PCM

    /// Frames as samples, as QuickTime has them: chunks of any number of frames.
    private func parsePCM(_ entry: [UInt8], bytesPerFrame: Int, frames: Int, said: UInt32? = nil) -> ParsedStream {
        var writer = MPEG4Writer()
        writer.sampleEntry = entry
        writer.duration = 1
        writer.packets = [payload(bytesPerFrame * frames), payload(bytesPerFrame * frames)]
        writer.packetsPerChunk = 1
        writer.samplesPerChunk = UInt32(frames)
        writer.constantSize = (said ?? UInt32(bytesPerFrame), UInt32(2 * frames))
        return parse(writer.file())
    }

    static let layoutsOfPCM: [(type: String, bits: UInt16, byteCount: Int, layout: PCMLayout)] = [
        ("sowt", 16, 2, .signedInteger), ("twos", 16, 2, [.signedInteger, .bigEndian]),
        ("twos", 8, 1, [.signedInteger, .bigEndian]), ("raw ", 8, 1, []),
        ("in24", 16, 3, [.signedInteger, .bigEndian]),
        ("in32", 16, 4, [.signedInteger, .bigEndian]), ("fl32", 16, 4, [.float, .bigEndian]),
        ("fl64", 16, 8, [.float, .bigEndian]),
    ]

    @Test(arguments: layoutsOfPCM)
    func linearPCMOfQuickTime(type: String, bits: UInt16, byteCount: Int, layout: PCMLayout) {
        // Many writers say that a sample has one byte, whatever it has.
        for said in [nil, 1] as [UInt32?] {
            let entry = MPEG4Writer.entry(type, bits: bits, [])
            let stream = parsePCM(entry, bytesPerFrame: 2 * byteCount, frames: 2_500, said: said)
            #expect(stream.failure == nil)
            #expect(stream.format?.pcm == layout)
            #expect(stream.format?.bytesPerFrame == 2 * byteCount)
            // Each chunk is cut by itself, so packets differ in length.
            #expect(stream.packets.map(\.frameCount) == [1_024, 1_024, 452, 1_024, 1_024, 452])
            #expect(stream.format?.framesPerPacket == 0)
            #expect(stream.table?.validFrameCount == 5_000)
            #expect(stream.packetBytes.joined().count == 5_000 * 2 * byteCount)
        }
    }

    @Test func otherDescriptionsOfLinearPCM() {
        let little = MPEG4Writer.box("wave", MPEG4Writer.box("enda", [0, 1]))
        let version1 = MPEG4Writer.entry("in24", version: 1, fields: MPEG4Writer.numbers([1, 3, 6, 2]), little)
        #expect(parsePCM(version1, bytesPerFrame: 6, frames: 1_024).format?.pcm == .signedInteger)
        #expect(parsePCM(version1, bytesPerFrame: 6, frames: 1_024).format?.framesPerPacket == 1_024)
        var fields = MPEG4Writer.numbers([72])
        fields.append(bigEndian: (96_000.0).bitPattern)
        fields += MPEG4Writer.numbers([2, 0x7F00_0000, 24, 4 | 8, 6, 1])
        let version2 = parsePCM(
            MPEG4Writer.entry("lpcm", version: 2, fields: fields, []), bytesPerFrame: 6, frames: 2_048)
        #expect(
            version2.format
                == AudioStreamFormat(
                    codec: .linearPCM, sampleRate: 96_000, pcm: .signedInteger, bytesPerPacket: 6_144,
                    framesPerPacket: 1_024, bytesPerFrame: 6, channelsPerFrame: 2, bitsPerChannel: 24))
        let standard = MPEG4Writer.entry("ipcm", MPEG4Writer.fullBox("pcmC", [1, 16]))
        #expect(parsePCM(standard, bytesPerFrame: 4, frames: 1_024).format?.pcm == .signedInteger)
        let float = MPEG4Writer.entry("fpcm", MPEG4Writer.fullBox("pcmC", [0, 64]))
        #expect(parsePCM(float, bytesPerFrame: 16, frames: 1_024).format?.pcm == [.float, .bigEndian])
    }

    @Test func blocksOfIMACountedInFrames() {
        let entry = MPEG4Writer.entry("ima4", version: 1, fields: MPEG4Writer.numbers([64, 34, 68, 2]), [])
        var writer = MPEG4Writer()
        writer.sampleEntry = entry
        writer.duration = 1
        writer.packets = [payload(68 * 10)]
        writer.packetsPerChunk = 1
        writer.samplesPerChunk = 640
        writer.constantSize = (1, 640)
        let stream = parse(writer.file())
        #expect(stream.packets.count == 10)
        #expect(stream.packets.allSatisfy { $0.frameCount == 64 && $0.bytes.count == 68 })
    }

    static let layouts: [(tag: UInt32, labels: [AudioChannelLabel], channels: UInt16)] = [
        (0x0079_0006, [.left, .right, .center, .lfe, .leftSurround, .rightSurround], 6),
        (0x007C_0006, [.center, .left, .right, .leftSurround, .rightSurround, .lfe], 6), (0x0064_0001, [.mono], 1),
    ]

    @Test(arguments: layouts)
    func channelLayoutsOfQuickTime(tag: UInt32, labels: [AudioChannelLabel], channels: UInt16) {
        let chan = MPEG4Writer.fullBox("chan", MPEG4Writer.numbers([tag, 0, 0]))
        let entry = MPEG4Writer.entry("sowt", channels: channels, chan)
        #expect(layout(parsePCM(entry, bytesPerFrame: Int(channels) * 2, frames: 100)) == AudioChannelLayout(labels))
    }

    @Test func channelLayoutsWithDescriptionsAndBitMaps() {
        let left = MPEG4Writer.numbers([1, 0, 0, 0, 0])
        let center = MPEG4Writer.numbers([3, 0, 0, 0, 0])
        let described = MPEG4Writer.fullBox("chan", MPEG4Writer.numbers([0, 0, 2]) + left + center)
        #expect(
            layout(parsePCM(MPEG4Writer.entry("sowt", described), bytesPerFrame: 4, frames: 100))
                == AudioChannelLayout([.left, .center]))
        let mapped = MPEG4Writer.fullBox("chan", MPEG4Writer.numbers([0x1_0000, 0x3, 0]))
        #expect(
            layout(parsePCM(MPEG4Writer.entry("sowt", mapped), bytesPerFrame: 4, frames: 100))
                == AudioChannelLayout([.left, .right]))
    }
}
