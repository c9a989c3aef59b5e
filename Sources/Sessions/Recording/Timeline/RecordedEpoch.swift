import AudioCore
import AudioDecoding

/// The epoch that is being recorded.
struct RecordedEpoch {
    let epoch: Epoch
    let format: AudioStreamFormat
    let decoder: any AudioPacketDecoder
    let primingFrameCount: Int
    let firstFrame: FramePosition
    /// Frames before this one are not wanted: the first or, behind a gap, the one where the sound goes on.
    private(set) var wantedFrom: FramePosition
    /// Where the sound goes on, should the packets to come lie behind a gap.
    var reentry: FramePosition?
    /// Where the next packet begins if none is missing; nil before the first.
    private(set) var expected: FramePosition?
    /// The place of the next frame of the file.
    var position: FramePosition
    /// The decoded frames of one packet, interleaved; more than that may follow.
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
        wantedFrom = firstFrame
        position = firstFrame
    }

    /// Places the next packet, behind a gap or not, and says which of its frames are wanted, counted from its first.
    mutating func place(_ frame: FramePosition, frameCount: Int) -> Range<Int> {
        if expected != frame {
            decoder.reset(streamFrame: frame.index &+ Int64(primingFrameCount))
            if expected != nil { wantedFrom = max(wantedFrom, reentry ?? frame) }
        }
        let end = frame + Int64(frameCount)
        expected = end
        let first = max(frame, wantedFrom)
        guard first < end else { return 0..<0 }
        return Int(first - frame)..<frameCount
    }

    /// Into the front of ``scratch``.
    mutating func decode(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        let count = frameCount * decoder.channelCount
        if scratch.count < count { scratch += repeatElement(0, count: count - scratch.count) }
        let decoder = decoder
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
    }
}
