import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CAFTests {
    private static let sizes = (0..<700).map { [200, 127, 128, 1, 16_384, 300][$0 % 6] }
    private static let packets = sizes.enumerated().map { payload($0.element, seed: UInt64($0.offset)) }
    /// An elementary stream descriptor around an AudioSpecificConfig.
    private static func descriptor(_ config: [UInt8]) -> [UInt8] {
        let info = [5, UInt8(config.count)] + config
        let decoder: [UInt8] = [0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + info
        let stream: [UInt8] = [0, 0, 0, 4, UInt8(decoder.count)] + decoder + [6, 1, 2]
        return [3, 0x80, 0x80, 0x80, UInt8(stream.count)] + stream
    }

    /// AAC in packets of 1,024 frames, described before or behind them.
    private func aac(isTableBehind: Bool = false, _ change: (inout CAFWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = CAFWriter()
        (writer.type, writer.bytesPerPacket, writer.framesPerPacket, writer.bits) = ("aac ", 0, 1_024, 0)
        let cookie = CAFWriter.chunk("kuki", Self.descriptor([0x12, 0x10]))
        let table = CAFWriter.table(Self.sizes, valid: 714_000, priming: 2_112, remainder: 688)
        writer.between = cookie + (isTableBehind ? [] : table)
        writer.trailing = isTableBehind ? table + CAFWriter.info([("title", "Title")]) : []
        change(&writer)
        return writer.file(data: Self.packets.flatMap { $0 })
    }

    @Test(
        arguments: [
            (2, 2, 16, .signedInteger), (0, 2, 16, [.signedInteger, .bigEndian]), (2, 1, 8, .signedInteger),
            (0, 3, 20, [.signedInteger, .bigEndian]), (2, 4, 32, .signedInteger), (1, 4, 32, [.float, .bigEndian]),
            (3, 8, 64, .float),
        ] as [(UInt32, UInt32, UInt32, PCMLayout)])
    func sampleTypes(flags: UInt32, byteCount: UInt32, bits: UInt32, layout: PCMLayout) {
        var writer = CAFWriter()
        (writer.flags, writer.bits, writer.bytesPerPacket) = (flags, bits, byteCount * 2)
        let data = payload(Int(byteCount) * 2 * 1_500)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.format?.pcm == layout)
        #expect(stream.format?.bitsPerChannel == Int(bits))
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(stream.announcedTable?.validFrameCount == 1_500)
        #expect(stream.properties.contains(.fileFormat(.caf)))
    }

    /// Bare, or with the version and flags of the box that it is the body of.
    @Test(arguments: [[], [0, 0, 0, 0]] as [[UInt8]]) func cookieIsADescriptor(head: [UInt8]) {
        let file = aac { writer in
            let table = CAFWriter.table(Self.sizes, valid: 714_000, priming: 2_112, remainder: 688)
            writer.between = CAFWriter.chunk("kuki", head + Self.descriptor([0x12, 0x10])) + table
        }
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.properties.contains(.magicCookie([0x12, 0x10])))
        #expect(stream.packetBytes == Self.packets)
    }

    @Test func tableDividesTheAudio() {
        let file = aac()
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.format?.codec == .aac)
        #expect(stream.properties.contains(.magicCookie([0x12, 0x10])))
        #expect(stream.packetBytes == Self.packets)
        #expect(
            stream.table
                == AudioPacketTableInfo(validFrameCount: 714_000, primingFrameCount: 2_112, remainderFrameCount: 688))
        #expect(stream.announcedTable == stream.table)
        #expect(stream.properties.contains(.packetSizeUpperBound(16_384)))
        #expect(splitThatDiffers(file, from: stream) == nil)
    }

    @Test func tableBehindTheAudioNeedsTheWholeFile() {
        let file = aac(isTableBehind: true)
        #expect(parse(file).failure == .notOptimized)
        for piece in [7, 1_000, 10_000_000] {
            let stream = parseAtHand(file, piece: piece)
            #expect(stream.failure == nil)
            #expect(stream.packetBytes == Self.packets)
            #expect(stream.announcedTable?.validFrameCount == 714_000)
            #expect(stream.info(.title) == "Title")
        }
        // Of a table cut off, what is there is played.
        let cut = parseAtHand(Array(file.dropLast(400)), piece: 1_000)
        #expect(cut.failure == nil)
        #expect(cut.packets.count > 300 && cut.packetBytes == Array(Self.packets.prefix(cut.packets.count)))
    }

    @Test func framesThatVaryAreInTheTable() {
        var writer = CAFWriter()
        (writer.type, writer.bytesPerPacket, writer.framesPerPacket, writer.bits) = ("opus", 0, 0, 0)
        writer.sampleRate = 48_000
        writer.between = CAFWriter.table([10, 200, 30], frames: [960, 480, 2_880], valid: 4_008, priming: 312)
        let stream = parse(writer.file(data: payload(240)))
        #expect(stream.packets.map(\.frameCount) == [960, 480, 2_880])
        #expect(stream.packets.map(\.bytes.count) == [10, 200, 30])
        #expect(stream.table?.primingFrameCount == 312)
        let head: [UInt8] = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]
        #expect(stream.properties.contains(.magicCookie(head)))
    }

    @Test func highEfficiencyIsCountedAsItIsDecoded() {
        // Told of by a trailing extension: SBR at 44.1 kHz over a core of 22.05 kHz.
        let config: [UInt8] = [0x13, 0x90, 0x56, 0xE5, 0xA0]
        let stream = parse(
            aac {
                $0.framesPerPacket = 1_024
                $0.sampleRate = 22_050
                $0.between =
                    CAFWriter.chunk("kuki", Self.descriptor(config))
                    + CAFWriter.table(Self.sizes, valid: 714_000, priming: 2_112)
            })
        #expect(stream.format?.codec == .aacHE)
        #expect(stream.format?.sampleRate == 44_100)
        #expect(stream.packets.first?.frameCount == 2_048)
        #expect(stream.table?.validFrameCount == 1_428_000)
        #expect(stream.table?.primingFrameCount == 4_224)
        #expect(stream.properties.contains { if case .formatList(let list) = $0 { list.count == 2 } else { false } })
    }

    @Test func sizeOfTheLastChunkMayBeUnknown() {
        var writer = CAFWriter()
        writer.dataSize = -1
        let file = writer.file(data: payload(6_000))
        let stream = parse(file)
        #expect(stream.announcedTable == nil)
        #expect(stream.table?.validFrameCount == 1_500)
        #expect(splitThatDiffers(file, from: stream) == nil)
        #expect(parseAtHand(file, piece: 99).announcedTable?.validFrameCount == 1_500)
        #expect(parseAtHand(file, piece: 99).packetBytes == stream.packetBytes)
    }

    @Test func infoAndLayoutAreRead() {
        var writer = CAFWriter()
        writer.between =
            CAFWriter.info([("title", "Title"), ("artist", "Artist"), ("other", "-"), ("track number", "3/9")])
            + CAFWriter.chunk("chan", [0, 0x65, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]) + CAFWriter.chunk("free", payload(77))
        let stream = parse(writer.file(data: payload(400)))
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.info(.track) == "3/9")
        #expect(stream.properties.contains(.channelLayout(AudioChannelLayout([.left, .right]))))
    }

    @Test func channelLayoutsAreRead() {
        func labels(_ body: [UInt8]) -> [AudioChannelLabel]? {
            var writer = CAFWriter()
            writer.between = CAFWriter.chunk("chan", body)
            let properties = parse(writer.file(data: payload(400))).properties
            return properties.compactMap { if case .channelLayout(let layout) = $0 { layout.labels } else { nil } }
                .first
        }
        func description(_ label: UInt8) -> [UInt8] { [0, 0, 0, label] + [UInt8](repeating: 0, count: 16) }
        #expect(labels([0, 1, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0]) == [.leftSurround, .rightSurround])
        #expect(
            labels([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2] + description(3) + description(200)) == [.center, .unknown])
        #expect(labels([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 2] + description(3)) == nil)
        #expect(labels([0, 0x79, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test func seeksGoByTheTable() throws {
        let file = aac()
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(file.span.bytes, discontinuity: false, into: &recorder)
        let start = Int64(file.count - Self.sizes.reduce(0, +))
        for packet in [0, 1, 255, 256, 257, 511, 512, 699] {
            let place = try parser.place(ofPacket: Int64(packet))
            let offset = start + Int64(Self.sizes[..<packet].reduce(0, +))
            #expect(place == AudioFileStreamSeek(packet: Int64(packet), byteOffset: offset))
            #expect(try parser.packet(atByteOffset: offset) == (Int64(packet), false))
            #expect(try parser.firstFrame(ofPacket: Int64(packet)) == Int64(packet) * 1_024)
            #expect(try parser.packet(containingFrame: Int64(packet) * 1_024 + 1_023) == (Int64(packet), 1_023))
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: 700) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(containingFrame: 700 * 1_024) }
        let place = try parser.seek(toPacket: 300)
        var late = EventRecorder()
        try parser.parse(file.span.bytes.extracting(Int(place.byteOffset)...), discontinuity: false, into: &late)
        try parser.finish(into: &late)
        #expect(ParsedStream(events: late.events).packetBytes == Array(Self.packets[300...]))
    }

    @Test func damagedTablesEndWhereTheyAreDamaged() {
        func packetCount(_ table: [UInt8]) -> Int? {
            var writer = CAFWriter()
            (writer.type, writer.bytesPerPacket, writer.framesPerPacket) = ("ac-3", 0, 1_536)
            writer.between = table
            let stream = parse(writer.file(data: payload(1_000)))
            return stream.failure == nil ? stream.packets.count : nil
        }
        #expect(packetCount(CAFWriter.table([100, 100, 100], valid: 4_608)) == 3)
        #expect(packetCount(CAFWriter.table([100, 0, 100], valid: 4_608)) == 1)
        #expect(packetCount(CAFWriter.table([100, 1 << 27], valid: 4_608)) == 1)
        #expect(packetCount(CAFWriter.table([600, 600], valid: 4_608)) == 1)
        #expect(packetCount(CAFWriter.table([0], valid: 4_608)) == nil)
        #expect(packetCount(CAFWriter.table([100], valid: -5, priming: -7)) == 1)
        #expect(packetCount(CAFWriter.chunk("pakt", [0, 0])) == nil)
    }

    @Test func tableOfEqualPacketsHoldsNoMoreThanTheAudio() {
        var writer = CAFWriter()
        (writer.type, writer.bytesPerPacket, writer.framesPerPacket, writer.sampleRate) = ("ac-3", 100, 1_536, 48_000)
        var table: [UInt8] = []
        for number in [1 << 60, 4_000] as [Int64] { table.append(bigEndian: number) }
        for number in [256, 0] as [Int32] { table.append(bigEndian: number) }
        writer.between = CAFWriter.chunk("pakt", table)
        let data = payload(300)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == [0, 100, 200].map { Array(data[$0..<$0 + 100]) })
        #expect(
            stream.table
                == AudioPacketTableInfo(validFrameCount: 4_000, primingFrameCount: 256, remainderFrameCount: 352))
    }

    @Test(arguments: [(1, 65_535, "ac-3", 48_000), (1, 65_535, "opus", 8_000), (4, 4_096, "alac", 8_000)])
    func audioOfMoreBytesThanCanBeIsPlayed(bytes: UInt32, frames: UInt32, type: String, rate: Double) {
        var writer = CAFWriter()
        (writer.type, writer.bytesPerPacket, writer.framesPerPacket, writer.sampleRate) = (type, bytes, frames, rate)
        writer.channels = 1
        let config: [UInt8] = [0, 0, 16, 0, 0, 16, 40, 10, 14, 1, 0, 255] + [UInt8](repeating: 0, count: 12)
        if type == "alac" { writer.between = CAFWriter.chunk("kuki", config) }
        writer.dataSize = .max
        let file = writer.file(data: payload(8))
        for stream in [parse(file), parseAtHand(file, piece: 1_000)] {
            #expect(stream.failure == nil)
            #expect(stream.packets.count == 8 / Int(bytes))
        }
    }

    @Test func packetsThatTheTableLacksAreToldOf() {
        var writer = CAFWriter()
        (writer.type, writer.bytesPerPacket, writer.framesPerPacket) = ("ac-3", 0, 1_536)
        writer.between = CAFWriter.table([100, 0, 100], valid: 4_608)
        let problems = parse(writer.file(data: payload(1_000))).properties.compactMap {
            if case .problem(let problem) = $0 { problem } else { nil }
        }
        #expect(problems == [AudioStreamProblem(.lengthDiffers(announced: 3, found: 1, .packets), at: 64)])
    }

    @Test func formatsThatCannotBePlayedAreRefused() {
        func failure(_ change: (inout CAFWriter) -> Void) -> AudioStreamError? {
            var writer = CAFWriter()
            change(&writer)
            return parse(writer.file(data: payload(400))).failure
        }
        #expect(failure { $0.type = "QDM2" } == .unsupportedDataFormat("CAF with 'QDM2'"))
        #expect(failure { $0.channels = 0 } == .unsupportedDataFormat("0 channels"))
        #expect(failure { $0.sampleRate = .nan } == .unsupportedDataFormat("a sample rate of nan Hz"))
        #expect(failure { $0.sampleRate = 1e300 } == .unsupportedDataFormat("a sample rate of 1e+300 Hz"))
        #expect(failure { $0.bytesPerPacket = 5 } != nil)
        #expect(failure { $0.bits = 17 } != nil)
        #expect(
            failure { $0.framesPerPacket = .max }
                == .unsupportedDataFormat("CAF with packets of 4 bytes and 4294967295 frames"))
    }

    @Test func filesWithoutATableSayWhatIsMissing() {
        let file = aac { $0.between = CAFWriter.chunk("kuki", Self.descriptor([0x12, 0x10])) }
        #expect(parse(file).failure == .notOptimized)
        let failure = parseAtHand(file, piece: 10_000).failure
        let offset = file.count - Self.sizes.reduce(0, +)
        #expect(failure == .invalidFile("nothing in the file says what the audio at byte \(offset) is"))
    }
}
