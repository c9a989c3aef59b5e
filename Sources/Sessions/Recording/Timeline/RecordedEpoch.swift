import AudioCore
import AudioDecoding

/// The epoch that is being recorded.
struct RecordedEpoch {
    let epoch: Epoch
    let format: AudioStreamFormat
    let decoder: any AudioPacketDecoder
    let primingFrameCount: Int
    let firstFrame: FramePosition
    /// Earlier frames are not wanted. The epoch's first frame or, behind a gap, the one where the sound goes on.
    private(set) var firstWantedFrame: FramePosition
    /// Where the sound goes on if the packets that follow lie behind a gap.
    var reentry: FramePosition?
    /// Position of the next packet if none is missing; nil before the first.
    private(set) var expected: FramePosition?
    /// Position of the file's next frame.
    var position: FramePosition
    /// One packet's decoded frames, interleaved; the array may be longer.
    private(set) var scratch: [Float] = []

    init(
        epoch: Epoch, format: AudioStreamFormat, decoder: any AudioPacketDecoder, primingFrameCount: Int,
        firstFrame: FramePosition
    ) {
        self.epoch = epoch
        self.format = format
        self.decoder = decoder
        self.primingFrameCount = primingFrameCount
        self.firstFrame = firstFrame
        firstWantedFrame = firstFrame
        position = firstFrame
    }

    /// Places the next packet, behind a gap or not, and returns which of its frames are wanted, counted from its first.
    mutating func place(_ frame: FramePosition, frameCount: Int) -> Range<Int> {
        if expected != frame {
            decoder.reset(streamFrame: frame.index &+ Int64(primingFrameCount))
            if expected != nil { firstWantedFrame = max(firstWantedFrame, reentry ?? frame) }
        }
        let end = frame + Int64(frameCount)
        expected = end
        // Behind the epoch's end, too, nothing is written where something is.
        let first = max(frame, firstWantedFrame, position)
        guard first < end else { return 0..<0 }
        return Int(first - frame)..<frameCount
    }

    /// Decodes a packet into the front of ``scratch``.
    mutating func decode(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        let count = frameCount * decoder.channelCount
        if scratch.count < count { scratch += repeatElement(0, count: count - scratch.count) }
        let decoder = decoder
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
    }
}
