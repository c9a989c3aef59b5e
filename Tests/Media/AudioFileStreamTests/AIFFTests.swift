import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AIFFTests {
    private func writer(_ change: (inout AIFFWriter) -> Void = { _ in }) -> AIFFWriter {
        var writer = AIFFWriter()
        writer.frameCount = 1_500
        change(&writer)
        return writer
    }

    @Test(
        arguments: [
            (nil, 8, 1, .signedInteger), (nil, 12, 2, [.signedInteger, .bigEndian]),
            (nil, 24, 3, [.signedInteger, .bigEndian]), ("twos", 16, 2, [.signedInteger, .bigEndian]),
            ("sowt", 16, 2, .signedInteger), ("raw ", 8, 1, []), ("in24", 16, 3, [.signedInteger, .bigEndian]),
            ("in32", 32, 4, [.signedInteger, .bigEndian]), ("23ni", 32, 4, .signedInteger),
            ("fl32", 32, 4, [.float, .bigEndian]), ("FL64", 64, 8, [.float, .bigEndian]),
        ] as [(String?, UInt16, Int, PCMLayout)])
    func sampleTypes(type: String?, bits: UInt16, byteCount: Int, layout: PCMLayout) {
        let data = payload(2 * byteCount * 1_500)
        let stream = parse(writer { ($0.type, $0.bits) = (type, bits) }.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.format?.pcm == layout)
        #expect(stream.format?.sampleRate == 44_100)
        #expect(stream.format?.bytesPerFrame == 2 * byteCount)
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(stream.announcedTable?.validFrameCount == 1_500)
        #expect(stream.properties.contains(.fileFormat(type == nil ? .aiff : .aifc)))
    }

    @Test(arguments: [("ulaw", .muLaw), ("ALAW", .aLaw)] as [(String, Codec)])
    func logarithmicPCM(type: String, codec: Codec) {
        let stream = parse(writer { $0.type = type }.file(data: payload(3_000)))
        #expect(stream.format?.codec == codec)
        #expect(stream.packets.map(\.frameCount) == [1_024, 476])
    }

    @Test func packetsOfIMAAreCountedAsFrames() {
        let stream = parse(writer { ($0.type, $0.frameCount) = ("ima4", 5) }.file(data: payload(7 * 68)))
        #expect(stream.format?.codec == .ima4)
        #expect(stream.packets.map(\.frameCount) == [64, 64, 64, 64, 64])
        #expect(stream.packets.map(\.bytes.count) == [68, 68, 68, 68, 68])
    }

    @Test func textsAndTagsAreReadWhereverTheyStand() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TALB", [0] + Array("Album".utf8))
        let file = writer {
            $0.between = AIFFWriter.chunk("NAME", Array("Title".utf8)) + AIFFWriter.chunk("odd ", payload(7))
            $0.trailing =
                AIFFWriter.chunk("AUTH", Array("Artist".utf8)) + AIFFWriter.chunk("ANNO", Array("Note".utf8))
                + AIFFWriter.chunk("ID3 ", tag.bytes)
        }.file(data: payload(6_000))
        let stream = parse(file)
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.info(.comment) == "Note")
        #expect(stream.info(.album) == "Album")
        #expect(stream.table?.validFrameCount == 1_500)
        #expect(splitThatDiffers(file, from: stream) == nil)
    }

    @Test func offsetOfTheSamplesIsPassedOver() {
        let data = payload(6_000)
        let stream = parse(writer { $0.offset = 33 }.file(data: data))
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(parse(writer { $0.offset = 33 }.file(data: data).dropLast(6_001) + []).failure == .dataUnavailable)
    }

    @Test func audioBeforeItsDescriptionNeedsTheWholeFile() {
        let data = payload(6_000)
        let file = writer {
            $0.isAudioFirst = true
            $0.trailing = AIFFWriter.chunk("NAME", Array("Title".utf8))
        }.file(data: data)
        let stream = parse(file)
        #expect(stream.failure == .notOptimized)
        #expect(splitThatDiffers(file, from: stream) == nil)
        for piece in [1, 100, 50_000] {
            let atHand = parseAtHand(file, piece: piece)
            #expect(atHand.failure == nil)
            #expect(atHand.packetBytes.flatMap { $0 } == data)
            #expect(atHand.info(.title) == "Title")
            #expect(atHand.announcedTable?.validFrameCount == 1_500)
        }
        #expect(
            parseAtHand(Array(file.prefix(6_020)), piece: 1_000).failure
                == .invalidFile("nothing in the file says what the audio at byte 28 is"))
    }

    @Test func sizesOfStreamingWritersAreNotBelieved() {
        let data = payload(6_000)
        for (size, frames) in [(0, 0), (8, 0), (0xFFFF_FFFF, 0), (0x7F00_0008, 0x1FC0_0000)] as [(UInt32, UInt32)] {
            let stream = parse(writer { ($0.audioSize, $0.frameCount) = (size, frames) }.file(data: data))
            #expect(stream.packetBytes.flatMap { $0 } == data)
            #expect(stream.announcedTable == nil)
            #expect(stream.table?.validFrameCount == 1_500)
        }
        let told = parse(writer { $0.audioSize = 0 }.file(data: data))
        #expect(told.announcedTable?.validFrameCount == 1_500)
    }

    @Test func formatsThatCannotBePlayedAreRefused() {
        func failure(_ change: (inout AIFFWriter) -> Void) -> AudioStreamError? {
            parse(writer(change).file(data: payload(400))).failure
        }
        #expect(failure { $0.type = "MAC3" } == .unsupportedDataFormat("AIFC with 'MAC3'"))
        #expect(failure { $0.channels = 9 } == .unsupportedDataFormat("9 channels"))
        #expect(failure { $0.sampleRate = 7_999 } == .unsupportedDataFormat("a sample rate of 7999 Hz"))
        #expect(failure { $0.bits = 0 } == .invalidFile("AIFF samples of 0 bits at byte 12"))
        #expect(failure { $0.bits = 65 } == .invalidFile("AIFF samples of 65 bits at byte 12"))
    }
}
@Suite(.timeLimit(.minutes(5)))

struct NextSunTests {
    @Test(
        arguments: [
            (2, 1, .signedInteger), (3, 2, [.signedInteger, .bigEndian]), (4, 3, [.signedInteger, .bigEndian]),
            (5, 4, [.signedInteger, .bigEndian]), (6, 4, [.float, .bigEndian]), (7, 8, [.float, .bigEndian]),
        ] as [(UInt32, Int, PCMLayout)])
    func sampleTypes(encoding: UInt32, byteCount: Int, layout: PCMLayout) {
        var writer = NextSunWriter()
        writer.encoding = encoding
        let data = payload(2 * byteCount * 1_500)
        let stream = parse(writer.file(data: data))
        #expect(stream.failure == nil)
        #expect(stream.format?.pcm == layout)
        #expect(stream.packetBytes.flatMap { $0 } == data)
        #expect(stream.announcedTable?.validFrameCount == 1_500)
        writer.isBigEndian = false
        #expect(parse(writer.file(data: data)).format?.pcm == layout.subtracting(.bigEndian))
    }

    @Test func unknownSizeIsReadToTheEnd() {
        for size in [0, UInt32.max] {
            var writer = NextSunWriter()
            (writer.encoding, writer.size, writer.sampleRate) = (1, size, 8_000)
            let file = writer.file(data: payload(601))
            let stream = parse(file)
            #expect(stream.format?.codec == .muLaw)
            #expect(stream.announcedTable == nil)
            #expect(stream.table?.validFrameCount == 300)
            #expect(splitThatDiffers(file, from: stream) == nil)
            #expect(parseAtHand(file, piece: 64).announcedTable?.validFrameCount == 300)
        }
    }

    @Test func textIsReadAndWhatFollowsTheAudioIsNot() {
        var writer = NextSunWriter()
        writer.text = Array("title=Title\nartist=Artist\0".utf8)
        let data = payload(401)
        let stream = parse(writer.file(data: data) + payload(9_000))
        #expect(stream.info(.title) == "Title")
        #expect(stream.info(.artist) == "Artist")
        #expect(stream.packetBytes == [Array(data.dropLast(401 % 4))])
        writer.text = Array("Recorded at sea".utf8)
        #expect(parse(writer.file(data: data)).info(.comment) == "Recorded at sea")
        writer.text = []
        #expect(parse(writer.file(data: data)).packets.count == 1)
    }

    @Test func headersThatCannotBeAreRefused() {
        func failure(_ change: (inout NextSunWriter) -> Void) -> AudioStreamError? {
            var writer = NextSunWriter()
            change(&writer)
            return parse(writer.file(data: payload(400))).failure
        }
        #expect(failure { $0.encoding = 23 } == .unsupportedDataFormat("NeXT/Sun with G.721"))
        #expect(failure { $0.encoding = 99 } == .unsupportedDataFormat("NeXT/Sun with encoding 99"))
        #expect(failure { $0.channels = .max } == .unsupportedDataFormat("4294967295 channels"))
        var bytes = NextSunWriter().file(data: payload(400))
        bytes.put(bigEndian: UInt32(23), at: 4)
        #expect(
            parse(bytes).failure == .invalidFile("the audio is said to begin at byte 23, within the header"))
        bytes.put(bigEndian: UInt32.max, at: 4)
        #expect(parse(bytes).failure == .dataUnavailable)
    }
}
