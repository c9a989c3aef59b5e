import AudioCore
import NIOCore

/// A piece of the song that is to be decoded to linear PCM; see ``SongTranscoder``.
public struct TranscodingRequest: Sendable {
    /// Requests of one rendition follow one another; with another number begins another one.
    public var rendition: Int
    public var source: AudioStreamFormat
    public var magicCookie: [UInt8]
    /// Signed integers of 16 or 24 bits, little-endian, at the source's rate and with its channels.
    public var target: AudioStreamFormat
    /// Nil where the packets follow those of the request before; else the decoder must forget those, and so many frames
    /// of its output lie before these (``AudioDecoding/AudioPacketDecoder/reset(streamFrame:)``).
    public var streamFrame: Int64?
    /// Where the first packet's first frame lies.
    public var position: FramePosition
    /// Frames before this one are not wanted.
    public var firstFrame: FramePosition
    public var packets: [AudioPacketDescription]
    public var data: ByteBuffer
}

/// What became of a request.
public struct TranscodingReply: Sendable {
    public enum Outcome: Sendable {
        /// Interleaved samples of the wanted frames, which may be none, and where the first of them lies.
        case frames(ByteBuffer, at: FramePosition)
        /// The song cannot be decoded, or not any further. The text is for people, and follows a colon.
        case failed(String)
    }

    public var rendition: Int
    public var outcome: Outcome

    public init(rendition: Int, outcome: Outcome) {
        self.rendition = rendition
        self.outcome = outcome
    }
}
