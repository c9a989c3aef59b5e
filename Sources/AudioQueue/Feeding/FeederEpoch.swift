import AudioCore
import AudioDecoding
import Playout

/// The state of one epoch's decoding.
struct FeederEpoch {
    let stream: AudioQueueStream
    let decoder: any AudioPacketDecoder
    let rendition: Rendition
    /// Where the next packet begins if none is missing; nil before the first.
    var expected: FramePosition?
    /// The next packet does not follow the one that was decoded last.
    var needsReset = true
    /// Frames before this one are not heard: the stream's first or, behind a gap, the one where the sound goes on.
    var firstFrame: FramePosition
    var end: FramePosition?
    /// No packet follows those that wait.
    var isComplete = false
    var hasFailed = false
    /// Decoded frames of one packet, interleaved.
    var scratch: [Float] = []
    /// The newest frame that went to the ring, to let it die away at a gap.
    var lastFrame: [Float]
    /// Frames that still come in with a ramp after a gap.
    var rampRemaining = 0

    init(stream: AudioQueueStream, decoder: any AudioPacketDecoder, rendition: Rendition) {
        self.stream = stream
        self.decoder = decoder
        self.rendition = rendition
        firstFrame = stream.firstFrame
        lastFrame = Array(repeating: 0, count: rendition.channelCount)
    }

    /// The length of the ramps at the edges of a gap.
    var rampFrameCount: Int { Int(rendition.sampleRate * 0.005) }
}
