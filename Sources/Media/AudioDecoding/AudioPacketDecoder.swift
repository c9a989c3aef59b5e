import AudioCore

/// Decodes the packets of one stream to frames of interleaved `Float`, nominally in -1...1.
///
/// The output never slips against the packets: each packet yields exactly its own frame count, as silence if it is
/// damaged or cannot be decoded yet (an MPEG packet without its bit reservoir). So the place of a packet on the
/// timeline gives the place of its frames. The caller trims priming and remainder, by position.
///
/// To start in the middle: call ``reset(streamFrame:)`` with the place of the first packet to decode, decode as many
/// packets before the first audible one as the stream's `decoderPrerollPacketCount` says, and drop their frames. From
/// there on the output equals that of a full decode bit for bit.
///
/// Not real-time safe. Used from one thread at a time.
public protocol AudioPacketDecoder: AnyObject {
    /// Sample rate of the output in hertz: the stream's own.
    var sampleRate: Double { get }
    /// Channels of the output: the stream's own.
    var channelCount: Int { get }
    /// Damaged packets that became silence since the decoder was made.
    var damagedPacketCount: Int { get }

    /// Decodes one packet into the first `frameCount * channelCount` elements of `output`.
    /// - Parameters:
    ///   - packet: the bytes of the whole packet.
    ///   - frameCount: the frame count in the packet's description. If the packet decodes to more, its end is cut off.
    ///   - output: must have room for the packet's frames; too little is a programming error and traps.
    /// - Throws: ``AudioDecodingError`` when decoding this stream cannot continue. A damaged packet does not throw.
    func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError)

    /// Whether samples are integers of more bits than a `Float` holds, and can be decoded as such.
    var outputsIntegers: Bool { get }

    /// Decodes one packet like the other `decode`, but to integers with a full scale of 32 bits. Only for a decoder
    /// that ``outputsIntegers``.
    func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError)

    /// Discards all history: the next packet does not follow the last one.
    /// - Parameter streamFrame: the number of decoded frames before the next packet in its stream, including priming
    ///   (``AudioCore/PacketTimeline/streamFrame(of:)``). Decoders whose rounding depends on the place need it to be
    ///   bit-exact; a wrong number affects only the last bit of samples.
    func reset(streamFrame: Int64)
}

/// Defaults for the decoders that output floats only.
extension AudioPacketDecoder {
    public var outputsIntegers: Bool { false }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError) {
        preconditionFailure("a decoder of floats was asked for integers")
    }
}

extension AudioPacketDecoder {
    /// Checks the numbers in an untrusted packet description before they are used as sizes.
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
