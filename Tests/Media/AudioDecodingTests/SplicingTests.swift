import AudioCore
import AudioDecoding
import Testing

/// Packets that are made of several, in front of any decoder.
@Suite(.timeLimit(.minutes(5)))
struct SplicingTests {
    /// A frame of a packet is the packet's byte, and beyond it the number of packets since the reset; a reset leaves
    /// the place in the first.
    private final class Counter: AudioPacketDecoder {
        let sampleRate = 44_100.0
        let channelCount = 2
        var damagedPacketCount = 0
        private var place: Float = 0
        private var count: Float = 0

        func decode(
            packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
        ) throws(AudioDecodingError) {
            if packet.byteCount != 1 { damagedPacketCount += 1 }
            for frame in 0..<frameCount {
                output[2 * frame] = Float(packet.unsafeLoad(as: UInt8.self)) + place
                output[2 * frame + 1] = count
            }
            count += 1
            place = 0
        }

        func reset(streamFrame: Int64) { (place, count) = (Float(streamFrame), 0) }
    }

    private static let codec = Codec("test")

    private func decoder() throws -> any AudioPacketDecoder {
        var catalog = DecoderCatalog()
        catalog.register(Self.codec) { (_, _) throws(AudioDecodingError) in Counter() }
        return try catalog.makeDecoder(
            for: AudioStreamFormat(codec: Self.codec, sampleRate: 44_100, channelsPerFrame: 2))
    }

    private func decode(_ decoder: any AudioPacketDecoder, _ bytes: [UInt8], frames: Int) throws -> [Float] {
        var output = [Float](repeating: .nan, count: frames * 2)
        var span = output.mutableSpan
        try decoder.decode(packet: bytes.span.bytes, frameCount: frames, into: &span)
        return output
    }

    @Test func aSpliceIsItsPacketsWithoutTheFirstFrames() throws {
        let decoder = try decoder()
        #expect(try decode(decoder, [9], frames: 2) == [9, 0, 9, 0])
        let splice = AudioPacketSplice.bytes(dropping: 3, of: [([1], 2), ([2], 3), ([3], 2)], streamFrame: 1_000)
        // The decoder was reset to where the first packet lies, of which nothing is heard.
        #expect(try decode(decoder, splice, frames: 4) == [2, 1, 2, 1, 3, 2, 3, 2])
        // What follows follows the last packet; its end may be cut off.
        #expect(try decode(decoder, [4], frames: 1) == [4, 3])
        #expect(try decode(decoder, splice, frames: 1) == [2, 1])
        let first = AudioPacketSplice.bytes(dropping: 1, of: [([1], 2)], streamFrame: 500)
        #expect(try decode(decoder, first, frames: 1) == [501, 0])
        #expect(decoder.damagedPacketCount == 0)
        // More frames than there are.
        #expect(try decode(decoder, first, frames: 2) == [501, 0, 0, 0])
        #expect(decoder.damagedPacketCount == 1)
    }

    /// The decoder hears nothing of it, and goes on where it was.
    @Test func oneWithoutPacketsIsSilence() throws {
        let decoder = try decoder()
        let silence = AudioPacketSplice.bytes(dropping: 0, of: [])
        #expect(try decode(decoder, silence, frames: 2) == [0, 0, 0, 0])
        #expect(try decode(decoder, [9], frames: 1) == [9, 0])
        #expect(try decode(decoder, silence, frames: 3) == [0, 0, 0, 0, 0, 0])
        #expect(try decode(decoder, [9], frames: 1) == [9, 1])
        #expect(decoder.damagedPacketCount == 0)
        let tooLong = Limits.packetFrameCount + 1
        #expect(
            throws: AudioDecodingError.packetExceedsLimits(byteCount: silence.count, frameCount: tooLong)
        ) { try decode(decoder, silence, frames: tooLong) }
    }

    @Test func spliceInASpliceIsNone() throws {
        let decoder = try decoder()
        let inner = AudioPacketSplice.bytes(dropping: 0, of: [([1], 2)])
        _ = try decode(decoder, AudioPacketSplice.bytes(dropping: 0, of: [(inner, 2)]), frames: 2)
        #expect(decoder.damagedPacketCount == 1)
    }

    @Test func limitsHoldForSplicesToo() throws {
        let decoder = try decoder()
        let packet = ([UInt8](repeating: 1, count: 1), Limits.packetFrameCount)
        let splice = AudioPacketSplice.bytes(dropping: 0, of: [packet, packet])
        #expect(
            throws: AudioDecodingError.packetExceedsLimits(
                byteCount: splice.count, frameCount: Limits.packetFrameCount + 1)
        ) { try decode(decoder, splice, frames: Limits.packetFrameCount + 1) }
    }

    /// What looks like one may be samples.
    @Test func linearPCMHasNone() throws {
        let decoder = try DecoderCatalog.builtIn.makeDecoder(
            for: .linearPCM(
                sampleRate: 44_100, channels: 1, bitsPerChannel: 8, bytesPerSample: 1, layout: .signedInteger))
        let splice = AudioPacketSplice.bytes(dropping: 0, of: [([1], 2)])
        var output = [Float](repeating: .nan, count: splice.count)
        var span = output.mutableSpan
        try decoder.decode(packet: splice.span.bytes, frameCount: splice.count, into: &span)
        #expect(output == splice.map { Float(Int8(bitPattern: $0)) / 128 })
    }
}
