import AudioCore

/// Turns the packets of one stream into frames of interleaved `Float`, nominally in -1...1.
///
/// The output never slips against the packets: each packet yields exactly its own frame count, as silence where it is
/// damaged or cannot be decoded yet (an MPEG packet whose bit reservoir was not seen). So whoever knows where a packet
/// lies on the timeline knows where its frames lie. Trimming of priming and padding is the caller's, by position.
///
/// To start in the middle: ``reset(streamFrame:)`` with the place of the first packet fed, decode as many packets
/// before the first audible one as the stream's `decoderPrerollPacketCount` says, and drop their frames. From there on
/// the output equals that of a full decode bit for bit.
///
/// Not real-time safe. Used from one thread at a time.
public protocol AudioPacketDecoder: AnyObject {
    /// Frames per second of the output, in hertz: the stream's own.
    var sampleRate: Double { get }
    /// Channels of a frame of the output: the stream's own.
    var channelCount: Int { get }
    /// Packets that were damaged and became silence since the decoder was made.
    var damagedPacketCount: Int { get }

    /// Decodes one packet into the first `frameCount * channelCount` elements of `output`.
    /// - Parameters:
    ///   - packet: the packet's bytes, whole.
    ///   - frameCount: the frame count of the packet's description. Fewer than the packet makes cut off its end.
    ///   - output: has room for the packet's frames; less is the caller's bug, and traps.
    /// - Throws: ``AudioDecodingError`` when decoding this stream cannot go on. A packet that is merely damaged does
    ///   not throw.
    func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError)

    /// Whether samples are integers of more bits than a `Float` holds, and can be had as such.
    var givesIntegers: Bool { get }

    /// Decodes one packet as the other `decode` does, to integers whose full scale is that of 32 bits. Only of
    /// a decoder that ``givesIntegers``.
    func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError)

    /// Forgets what came before: the next packet does not follow the last one.
    /// - Parameter streamFrame: how many frames of decoded output lie before the next packet in its stream, priming
    ///   included (``AudioCore/PacketTimeline/streamFrame(of:)``). Decoders whose rounding depends on the place need
    ///   it to be bit-exact; a wrong number costs the last bit of a sample and nothing else.
    func reset(streamFrame: Int64)
}

/// Most decoders give floats only.
extension AudioPacketDecoder {
    public var givesIntegers: Bool { false }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError) {
        preconditionFailure("a decoder of floats was asked for integers")
    }
}

extension AudioPacketDecoder {
    /// Checks the numbers of a packet description that came from outside, before they become sizes.
    @inline(__always)
    package func checkLimits(
        of packet: RawSpan, frameCount: Int, output: borrowing MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount)
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
    }

    @inline(__always)
    package func checkLimits(of packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        guard packet.byteCount <= Limits.packetByteCount, (0...Limits.packetFrameCount).contains(frameCount) else {
            throw .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
        }
    }
}
