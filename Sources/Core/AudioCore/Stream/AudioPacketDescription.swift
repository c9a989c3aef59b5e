/// Where one packet lies in a group of packets, and how many frames it holds.
///
/// After Core Audio's `AudioStreamPacketDescription`, whose `mStartOffset`, `mDataByteSize` and
/// `mVariableFramesInPacket` these are; here the frame count is always filled in.
public struct AudioPacketDescription: Hashable, Sendable, BitwiseCopyable {
    /// Offset of the packet's first byte in the data that came with the description.
    public var startOffset: Int
    public var byteCount: Int
    public var frameCount: Int

    public init(startOffset: Int, byteCount: Int, frameCount: Int) {
        self.startOffset = startOffset
        self.byteCount = byteCount
        self.frameCount = frameCount
    }
}

/// How much of a stream's decoded frames is not the song: `mPrimingFrames` and `mRemainderFrames` of Core Audio's
/// `AudioFilePacketTableInfo`.
public struct AudioPacketTableInfo: Hashable, Sendable, BitwiseCopyable {
    /// Audible frames. Nil where only a pure stream is known.
    public var validFrameCount: Int64?
    /// Frames at the front that come out of the decoder and are not heard (encoder and decoder delay).
    public var primingFrameCount: Int
    /// Frames at the end that are not heard (padding).
    public var remainderFrameCount: Int

    public init(validFrameCount: Int64?, primingFrameCount: Int, remainderFrameCount: Int) {
        self.validFrameCount = validFrameCount
        self.primingFrameCount = primingFrameCount
        self.remainderFrameCount = remainderFrameCount
    }
}
