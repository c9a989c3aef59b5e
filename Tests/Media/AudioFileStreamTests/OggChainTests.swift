import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Of a chain as much is heard as of its links.
@Suite(.timeLimit(.minutes(5)))
struct OggChainTests {
    /// The frames of a stream that are heard, counted by its packets.
    private static func heardFrameCount(_ stream: ParsedStream) -> Int64 {
        let table =
            stream.table ?? AudioPacketTableInfo(validFrameCount: 0, primingFrameCount: 0, remainderFrameCount: 0)
        let decoded = stream.packets.reduce(0) { $0 + Int64($1.frameCount) }
        return decoded - Int64(table.primingFrameCount + table.remainderFrameCount)
    }

    private static func problems(_ stream: ParsedStream) -> [AudioStreamProblem] {
        stream.properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }

    /// The packets in a splice, and what is to be dropped of them.
    private static func takeApart(_ bytes: [UInt8]) -> (dropped: Int, packets: [[UInt8]], frameCounts: [Int])? {
        guard let splice = AudioPacketSplice(bytes.span.bytes) else { return nil }
        return (
            splice.droppedFrameCount,
            splice.packets.map { Array(bytes[$0.startOffset..<$0.startOffset + $0.byteCount]) },
            splice.packets.map(\.frameCount)
        )
    }

    private static func opus(_ packets: Int, preSkip: UInt16 = 312, cut: Int, perPage: Int = 10, serial: UInt32)
        -> OggWriter
    {
        var writer = OpusWriter()
        writer.preSkip = preSkip
        return writer.file(packets: packets, perPage: perPage, cut: cut, serial: serial)
    }

    private static func stereoVorbis(_ blocks: [Bool], cut: Int, perPage: Int, serial: UInt32) -> OggWriter {
        let vorbis = VorbisWriter()
        var writer = vorbis.writerWithHeaders(serial: serial)
        var granule: Int64 = 0
        var packets: [OggWriter.Packet] = []
        for (index, isLong) in blocks.enumerated() {
            if index > 0 { granule += [isLong, blocks[index - 1]].reduce(0) { $0 + ($1 ? 512 : 64) } }
            let end = index == blocks.count - 1 ? granule - Int64(cut) : granule
            packets.append((vorbis.packet(isLong: isLong, seed: UInt64(serial) * 100 + UInt64(index)), end))
        }
        for start in stride(from: 0, to: packets.count, by: perPage) {
            let end = min(start + perPage, packets.count)
            writer.add(Array(packets[start..<end]), isLast: end == packets.count)
        }
        return writer
    }

    @Test func opusLinkIsCutAtItsEndAndSplicedAtItsBeginning() throws {
        let (first, second) = (Self.opus(20, cut: 300, serial: 1), Self.opus(30, cut: 100, serial: 2))
        let (links, all) = ([first, second].map { parse($0.bytes).packetBytes }, first.bytes + second.bytes)
        for stream in [parse(all), OggTests.parseFile(all)] {
            let expected: [Int] = Array(repeating: 960, count: 19) + [660, 648] + Array(repeating: 960, count: 29)
            #expect(stream.packets.map(\.frameCount) == expected)
            #expect(stream.packetBytes[..<20] == links[0][...])
            let splice = try #require(Self.takeApart(stream.packetBytes[20]))
            #expect(splice == (312, [links[1][0]], [960]))
            #expect(stream.packetBytes[21...] == links[1][1...])
            let table = AudioPacketTableInfo(
                validFrameCount: 18_588 + 28_388, primingFrameCount: 312, remainderFrameCount: 100)
            #expect(stream.table == table)
            #expect(Self.heardFrameCount(stream) == table.validFrameCount)
            #expect(Self.problems(stream).isEmpty)
        }
    }

    /// A long pre-skip takes several packets, on several pages; what is cut may be packets as a whole.
    @Test func spliceHoldsAllThatIsNotHeard() throws {
        let first = Self.opus(20, cut: 2_500, serial: 1)
        let second = Self.opus(30, preSkip: 3_840, cut: 0, perPage: 2, serial: 2)
        let stream = parse(first.bytes + second.bytes)
        #expect(stream.packets.map(\.frameCount).dropFirst(16).prefix(4) == [960, 380, 960, 960])
        let links = [first, second].map { parse($0.bytes).packetBytes }
        let splice = try #require(Self.takeApart(stream.packetBytes[18]))
        #expect(splice == (3_840, Array(links[1][..<5]), [960, 960, 960, 960, 960]))
        #expect(Self.heardFrameCount(stream) == 16_388 + 24_960)
    }

    @Test(arguments: [1, 3, 40]) func vorbisLinkBeginsAnew(perPage: Int) throws {
        let blocks = (0..<12).map { $0 % 4 < 2 }
        let links = [UInt32(5), 6, 7].map { Self.stereoVorbis(blocks, cut: 50, perPage: perPage, serial: $0) }
        let lone = links.map { parse($0.bytes) }
        let all = links.flatMap(\.bytes)
        for stream in [parse(all), OggTests.parseFile(all)] {
            #expect(stream.table?.validFrameCount == lone.reduce(0) { $0 + ($1.table?.validFrameCount ?? 0) })
            #expect(Self.heardFrameCount(stream) == stream.table?.validFrameCount)
            // The first packet gives nothing, and is told with the second.
            #expect(stream.packets.count == 12 + 11 + 11)
            let splice = try #require(Self.takeApart(stream.packetBytes[12]))
            #expect(splice == (1_024, Array(lone[1].packetBytes[..<2]), [1_024, 1_024]))
            #expect(stream.packets[11].frameCount == lone[0].packets[11].frameCount - 50)
            #expect(Self.problems(stream).isEmpty)
        }
    }

    /// A link on one page, and one shorter than what is not heard of it.
    @Test func shortLinks() {
        let links: [OggWriter] = [
            Self.opus(20, cut: 10, serial: 1), Self.opus(1, preSkip: 0, cut: 900, serial: 2),
            Self.opus(2, preSkip: 2_000, cut: 0, serial: 3), Self.opus(3, cut: 700, serial: 4),
        ]
        let bytes: [UInt8] = links.flatMap { $0.bytes }
        let stream = parse(bytes)
        // The third has less than its pre-skip.
        let expected: Int64 = 18_878 + 60 + 0 + 1_868
        #expect(stream.table?.validFrameCount == expected)
        #expect(Self.heardFrameCount(stream) == expected)
        #expect(Self.problems(stream).isEmpty)
    }

    @Test func whatLiesBetweenLinksCostsTheCut() {
        let (first, second) = (Self.opus(20, cut: 300, serial: 1), Self.opus(30, cut: 100, serial: 2))
        let foreign = OggTests.foreignStream("\u{1}video", pages: 2).pages[1...].flatMap { $0 }
        let stream = parse(first.bytes + foreign + second.bytes)
        let text = "300 frames behind an Ogg stream's end, which are played before the next one"
        #expect(Self.problems(stream) == [.init(.damaged(text), at: Int64(first.bytes.count + foreign.count))])
        #expect(Self.heardFrameCount(stream) == 18_888 + 28_388)
    }

    @Test func seeksAcrossTheJointAreExact() throws {
        let files = [
            Self.opus(20, cut: 1_500, serial: 1).bytes + Self.opus(30, preSkip: 3_840, cut: 100, serial: 2).bytes,
            Self.stereoVorbis((0..<12).map { $0 % 4 < 2 }, cut: 50, perPage: 5, serial: 5).bytes
                + Self.stereoVorbis((0..<12).map { $0 % 3 < 2 }, cut: 50, perPage: 5, serial: 6).bytes,
        ]
        for bytes in files {
            let reading = FileReading(bytes)
            let whole = parse(bytes)
            var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
            _ = reading.read(with: &parser) { $0.nextByteOffset }
            for packet in whole.packets.indices.reversed() {
                _ = try parser.seek(toPacket: Int64(packet))
                let rest = reading.read(with: &parser) { $0.nextByteOffset }
                #expect(rest.packetBytes == Array(whole.packetBytes[packet...]), "\(packet)")
                #expect(rest.packets.map(\.frameCount) == whole.packets[packet...].map(\.frameCount), "\(packet)")
            }
        }
    }

    @Test func chainsMayBeCutAnyhow() {
        let links = [Self.opus(12, cut: 1_500, perPage: 5, serial: 1), Self.opus(9, cut: 99, perPage: 2, serial: 2)]
        #expect(splitThatDiffers(links.flatMap(\.bytes), from: parse(links.flatMap(\.bytes))) == nil)
    }
}
