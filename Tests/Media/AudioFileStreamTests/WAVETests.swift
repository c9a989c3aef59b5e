import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WAVETests {
    @Test(
        arguments: [
            (1, 8, 1, []), (1, 16, 2, .signedInteger), (1, 24, 3, .signedInteger), (1, 32, 4, .signedInteger),
            (3, 32, 4, .float), (3, 64, 8, .float), (1, 20, 3, .signedInteger),
        ] as [(UInt16, UInt16, Int, PCMLayout)])
    func sampleTypes(tag: UInt16, bits: UInt16, byteCount: Int, layout: PCMLayout) {
        var writer = WAVEWriter()
        writer.formatTag = tag
        writer.bitsPerSample = bits
        let data = payload(2 * byteCount * 3_000)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.format?.pcm == layout)
        #expect(stream.format?.bitsPerChannel == Int(bits))
        #expect(stream.format?.bytesPerFrame == 2 * byteCount)
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(stream.packets.map(\.frameCount) == [1_024, 1_024, 952])
        #expect(stream.announcedTable?.validFrameCount == 3_000)
        #expect(stream.properties.contains(.fileFormat(.wave)))
        #expect(stream.prerollPacketCount == 0)
    }

    @Test func extensibleGivesValidBits() {
        var writer = WAVEWriter()
        writer.bitsPerSample = 32
        writer.validBits = 20
        let stream = parse(writer.file(data: payload(800)))
        #expect(stream.format?.bitsPerChannel == 20)
        #expect(stream.format?.bytesPerFrame == 8)
        #expect(stream.format?.pcm == .signedInteger)
    }

    @Test func unknownChunksAreSkippedWithTheirPadding() {
        var writer = WAVEWriter()
        writer.leading = WAVEWriter.chunk("JUNK", payload(100_001))
        writer.between = WAVEWriter.chunk("fact", payload(4)) + WAVEWriter.chunk("odd ", payload(7))
        let data = payload(400)
        #expect(parse(writer.file(data: data)).packetBytes == [data])
    }

    @Test func infoListBeforeAndBehindTheDataIsRead() {
        var writer = WAVEWriter()
        writer.bitsPerSample = 8
        writer.channels = 1
        writer.between = WAVEWriter.info([("INAM", "Title"), ("ISFT", "Program"), ("IART", "Artist")])
        writer.trailing = WAVEWriter.info([("IPRD", "Album"), ("ICRD", "2001-02-03"), ("ITRK", "7"), ("INAM", "Other")])
        let stream = parse(writer.file(data: payload(401)))
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.info(.album) == "Album")
        #expect(stream.info(.year) == "2001")
        #expect(stream.info(.track) == "7")
        #expect(stream.packets.map(\.frameCount) == [401])
    }

    @Test(arguments: [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000] as [UInt32])
    func streamedFileIsReadToItsEnd(size: UInt32) {
        var writer = WAVEWriter()
        writer.dataSize = size
        let data = payload(4 * 2_500)
        let stream = parse(writer.file(data: data))
        #expect(stream.announcedTable == nil)
        #expect(stream.table?.validFrameCount == 2_500)
        #expect(stream.packetBytes.flatMap { $0 } == data)
    }

    @Test func truncatedFileEndsWithItsLastWholeFrame() {
        var writer = WAVEWriter()
        writer.dataSize = 1_000_000
        let data = payload(4 * 1_500 + 3)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.announcedTable?.validFrameCount == 250_000)
        #expect(stream.table?.validFrameCount == 1_500)
        #expect(stream.packetBytes.flatMap { $0 } == Array(data.dropLast(3)))
    }

    @Test func packetsStayWithinTheLimits() {
        var writer = WAVEWriter()
        writer.formatTag = 3
        writer.bitsPerSample = 64
        writer.channels = 8
        writer.sampleRate = 192_000
        let stream = parse(writer.file(data: payload(64 * 2_048)))
        #expect(stream.packetBytes.map(\.count) == [65_536, 65_536])
    }

    @Test func withoutDataNothingCanBePlayed() {
        #expect(parse(WAVEWriter().file(data: [])).failure == .dataUnavailable)
        #expect(parse(Array(WAVEWriter().file(data: []).prefix(30))).failure == .dataUnavailable)
    }

    @Test(
        arguments: [
            (2, "WAVE with Microsoft ADPCM"), (0x2001, "WAVE with DTS"),
            (0x1234, "WAVE with format tag 4660"),
        ] as [(UInt16, String)])
    func otherCodecsAreNamed(tag: UInt16, name: String) {
        var writer = WAVEWriter()
        writer.formatTag = tag
        #expect(parse(writer.file(data: payload(400))).failure == .unsupportedDataFormat(name))
    }

    @Test func formatsBeyondTheLimitsAreRefused() {
        func failure(_ change: (inout WAVEWriter) -> Void) -> AudioStreamError? {
            var writer = WAVEWriter()
            change(&writer)
            return parse(writer.file(data: payload(400))).failure
        }
        #expect(failure { $0.channels = 0 } == .unsupportedDataFormat("0 channels"))
        #expect(failure { $0.channels = 9 } == .unsupportedDataFormat("9 channels"))
        #expect(failure { $0.sampleRate = 0 } == .unsupportedDataFormat("a sample rate of 0 Hz"))
        #expect(failure { $0.sampleRate = .max } == .unsupportedDataFormat("a sample rate of 4294967295 Hz"))
        #expect(failure { $0.bytesPerFrame = 5 } != nil)
        #expect(failure { $0.bytesPerFrame = 0 } != nil)
        #expect(failure { $0.bitsPerSample = 0 } != nil)
        #expect(failure { $0.bitsPerSample = 72 } != nil)
    }

    @Test func dataBeforeFormatIsInvalid() {
        var writer = WAVEWriter()
        writer.leading = WAVEWriter.chunk("data", payload(8))
        #expect(
            parse(writer.file(data: payload(8))).failure
                == .invalidFile("WAVE's data at byte 12 come before their format"))
    }
}
