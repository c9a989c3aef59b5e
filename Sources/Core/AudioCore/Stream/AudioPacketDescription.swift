/// Where one packet lies in a group of packets, and how many frames it holds.
///
/// Modelled on Core Audio's `AudioStreamPacketDescription`: the fields are `mStartOffset`, `mDataByteSize` and
/// `mVariableFramesInPacket`, but the frame count is always filled in.
public struct AudioPacketDescription: Hashable, Sendable, BitwiseCopyable {
    /// Offset of the packet's first byte in the data that comes with the description.
    public var startOffset: Int
    public var byteCount: Int
    public var frameCount: Int

    public init(startOffset: Int, byteCount: Int, frameCount: Int) {
        self.startOffset = startOffset
        self.byteCount = byteCount
        self.frameCount = frameCount
    }
}

/// How many of a stream's decoded frames are not the song: `mPrimingFrames` and `mRemainderFrames` of Core Audio's
/// `AudioFilePacketTableInfo`.
public struct AudioPacketTableInfo: Hashable, Sendable, BitwiseCopyable {
    /// Audible frames; nil if unknown, as in a bare stream.
    public var validFrameCount: Int64?
    /// Decoded frames at the front that are not heard (encoder and decoder delay).
    public var primingFrameCount: Int
    /// Decoded frames at the end that are not heard (padding).
    public var remainderFrameCount: Int

    public init(validFrameCount: Int64?, primingFrameCount: Int, remainderFrameCount: Int) {
        self.validFrameCount = validFrameCount
        self.primingFrameCount = primingFrameCount
        self.remainderFrameCount = remainderFrameCount
    }
}
