import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AC3Tests {
    let frames = AC3Writer().frames(20)
    var audio: [UInt8] { frames.flatMap { $0 } }

    @Test func everyFrameIsAPacket() {
        let stream = parse(audio)
        #expect(stream.failure == nil)
        #expect(stream.packetBytes == frames)
        #expect(stream.packets.allSatisfy { $0.frameCount == 1_536 })
        #expect(stream.properties.contains(.fileFormat(.ac3)))
        #expect(
            stream.format
                == AudioStreamFormat(codec: .ac3, sampleRate: 48_000, framesPerPacket: 1_536, channelsPerFrame: 2))
        #expect(stream.bitRate == 192_000)
        #expect(stream.table?.validFrameCount == 30_720)
        #expect(splitThatDiffers(audio, from: stream) == nil)
    }

    /// At 44.1 kHz the frames of one bit rate are of two sizes: 417 and 418 words at 192 kbit/s.
    @Test(
        arguments: [(1, 20, 834, 836, 44_100.0), (2, 20, 1_152, 1_152, 32_000)] as [(UInt8, UInt8, Int, Int, Double)])
    func sizesFollowTheRate(rateCode: UInt8, sizeCode: UInt8, short: Int, long: Int, rate: Double) {
        var writer = AC3Writer()
        writer.rateCode = rateCode
        let frames = (0..<9).map { index in
            writer.sizeCode = sizeCode | UInt8(index & 1)
            return writer.frame(byteCount: index & 1 == 0 ? short : long, seed: UInt64(index))
        }
        let stream = parse(frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.format?.sampleRate == rate)
    }

    @Test(
        arguments: [
            (0, false, [.left, .right]), (1, false, [.mono]), (2, true, [.left, .right, .lfe]),
            (4, false, [.left, .right, .centerSurround]),
            (6, true, [.left, .right, .lfe, .leftSurround, .rightSurround]),
            (7, true, [.left, .right, .center, .lfe, .leftSurround, .rightSurround]),
            (7, false, [.left, .right, .center, .leftSurround, .rightSurround]),
        ] as [(UInt8, Bool, [AudioChannelLabel])])
    func channelsAreNamed(mode: UInt8, hasLFE: Bool, labels: [AudioChannelLabel]) {
        var writer = AC3Writer()
        writer.channelMode = mode
        writer.hasLFE = hasLFE
        let stream = parse(writer.frames(5).flatMap { $0 })
        #expect(stream.properties.contains(.channelLayout(AudioChannelLayout(labels))))
        #expect(stream.format?.channelsPerFrame == labels.count)
    }

    @Test func enhancedIsRefusedByName() {
        let bytes = (0..<5).flatMap { _ in AC3Writer.enhancedFrame() }
        #expect(parse(bytes).failure == .unsupportedDataFormat("E-AC-3"))
    }

    @Test func swappedBytesAreRefusedByName() {
        let bytes = stride(from: 0, to: audio.count, by: 2).flatMap { [audio[$0 + 1], audio[$0]] }
        #expect(parse(bytes).failure == .unsupportedDataFormat("AC-3 with its bytes swapped"))
    }

    @Test func damageCostsOneFrame() {
        var damaged = frames
        damaged[3][1] = 0
        damaged[9] += payload(501)
        let bytes = payload(1_000) + damaged.flatMap { $0 }
        let stream = parse(bytes)
        var left = frames
        left.remove(at: 3)
        #expect(stream.packetBytes == left)
        #expect(stream.properties.contains(.dataOffset(1_000)))
        #expect(splitThatDiffers(bytes, from: stream) == nil)
    }
}
