import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AMRTests {
    let frames = AMRWriter.narrowbandFrames(60)
    var file: [UInt8] { AMRWriter.narrowbandMagic + frames.flatMap { $0 } }

    @Test func everyFrameIsAPacketPausesToo() {
        let stream = parse(file)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(stream.packets.allSatisfy { $0.frameCount == 160 })
        #expect(stream.properties.contains(.fileFormat(.amr)))
        #expect(
            stream.format
                == AudioStreamFormat(
                    codec: .amrNarrowband, sampleRate: 8_000, framesPerPacket: 160, channelsPerFrame: 1))
        #expect(stream.properties.contains(.dataOffset(6)))
        #expect(stream.table?.validFrameCount == 9_600)
        #expect(splitThatDiffers(file, from: stream) == nil)
    }

    @Test func widebandHasSizesOfItsOwn() {
        let sizes = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6]
        let frames = sizes.enumerated().map { AMRWriter.frame(type: UInt8($0.offset), byteCount: $0.element) }
        let stream = parse(AMRWriter.widebandMagic + frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.format?.codec == .amrWideband)
        #expect(stream.format?.sampleRate == 16_000)
        #expect(stream.packets.allSatisfy { $0.frameCount == 320 })
    }

    @Test func aLonePauseIsAStream() {
        #expect(parse(AMRWriter.narrowbandMagic + [0x7C]).packetBytes == [[0x7C]])
    }

    @Test func severalChannelsAreRefusedByName() {
        for magic in ["#!AMR_MC1.0\n", "#!AMR-WB_MC1.0\n"] {
            #expect(
                parse(Array(magic.utf8) + [0, 0, 0, 2] + frames.flatMap { $0 }).failure
                    == .unsupportedDataFormat("AMR of several channels"))
        }
    }

    @Test func unknownFirstLineIsInvalid() {
        let failure = parse(Array("#!AMR2\n".utf8) + frames.flatMap { $0 }).failure
        #expect(failure == .invalidFile("AMR's first line ends in something unknown at byte 5"))
    }

    @Test func firstLineAloneHoldsNoAudio() {
        #expect(parse(AMRWriter.narrowbandMagic).failure == .dataUnavailable)
    }

    @Test func afterDamageItGoesOnWhereSixFramesFollow() {
        // All set: no header.
        let junk = [UInt8](repeating: 0xFE, count: 100)
        let bytes = AMRWriter.narrowbandMagic + frames[..<20].flatMap { $0 } + junk + frames[20...].flatMap { $0 }
        let stream = parse(bytes)
        #expect(stream.packetBytes == frames)
        #expect(splitThatDiffers(bytes, from: stream) == nil)
    }

    @Test func truncatedLastFrameIsDropped() {
        #expect(parse(file.dropLast(1 + 1 + 6 + 10)).packetBytes == Array(frames.dropLast(4)))
    }
}

private func parse(_ bytes: ArraySlice<UInt8>) -> ParsedStream { parse(Array(bytes)) }
