import AudioCore
import NIOCore

/// Numbers the renditions of a broadcast's songs as linear PCM.
public struct RenditionNumber: Hashable, Sendable {
    public var epoch: Epoch
    /// Counts from 1 in each epoch.
    public var count: UInt32

    public init(epoch: Epoch, count: UInt32) {
        self.epoch = epoch
        self.count = count
    }
}

/// A piece of the song to be decoded to linear PCM; see ``SongTranscoder``.
public struct TranscodingRequest: Sendable {
    /// Requests of one rendition follow one another; another number begins another rendition.
    public var rendition: RenditionNumber
    public var source: AudioStreamFormat
    public var magicCookie: [UInt8]
    /// Signed integers of 16 or 24 bits, little-endian, at the source's rate and with its channels.
    public var target: AudioStreamFormat
    /// Nil if the packets follow those of the previous request. Otherwise the decoder is reset, and this many frames of
    /// its output lie before these (``AudioDecoding/AudioPacketDecoder/reset(streamFrame:)``).
    public var streamFrame: Int64?
    /// Position of the first packet's first frame.
    public var position: FramePosition
    /// Frames before this one are not wanted.
    public var firstFrame: FramePosition
    public var packets: [AudioPacketDescription]
    public var data: ByteBuffer
}

/// The result of a request.
public struct TranscodingReply: Sendable {
    public enum Outcome: Sendable {
        /// Interleaved samples of the wanted frames, possibly none, and the first one's position.
        case frames(ByteBuffer, at: FramePosition)
        /// The song cannot be decoded, or not any further. The text is for people and follows a colon.
        case failed(String)
    }

    public var rendition: RenditionNumber
    public var outcome: Outcome

    public init(rendition: RenditionNumber, outcome: Outcome) {
        self.rendition = rendition
        self.outcome = outcome
    }
}
