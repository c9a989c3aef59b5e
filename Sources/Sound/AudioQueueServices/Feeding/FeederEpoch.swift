import AudioCore
import AudioDecoding
import Playout
import Synchronization

/// What an epoch's packets have in common from where they are taken to where they are decoded.
final class FeederEpoch: Sendable {
    let stream: TimelineQueueStream
    let rendition: Rendition
    /// Interrupted when the epoch is over.
    let interrupt = DecodingInterrupt()
    private let decoded: Atomic<Int64>
    private let damaged = Atomic(0)

    init(stream: TimelineQueueStream, rendition: Rendition) {
        self.stream = stream
        self.rendition = rendition
        decoded = Atomic(stream.firstFrame.index)
    }

    /// Frames up to here are decoded, or known to be missing.
    var decodedEnd: FramePosition { FramePosition(decoded.load(ordering: .relaxed)) }

    /// Packets that were damaged and became silence.
    var damagedPacketCount: Int { damaged.load(ordering: .relaxed) }

    /// By who decodes.
    func note(decodedEnd: FramePosition) { decoded.store(decodedEnd.index, ordering: .relaxed) }

    /// By who decodes.
    func note(damagedPacketCount: Int) { damaged.store(damagedPacketCount, ordering: .relaxed) }

    /// The length of the ramps at the edges of a gap, in frames.
    var rampFrameCount: Int { Int(rendition.sampleRate * 0.005) }
}

/// The next thing that whoever decodes has to do.
struct FeederTask {
    /// Whose task it is; nil where there is no epoch.
    var epoch: FeederEpoch?
    var work: Work

    enum Work {
        /// Nothing before packets come or frames are heard.
        case wait(PacketFeederStep)
        case makeDecoder
        /// Silence from where the sound stopped up to here.
        case skip(to: FramePosition)
        /// - Parameter audible: the packet's frames that are heard, counted from its first. The ring has room for them.
        case decode(QueuedPacket, audible: Range<Int>)
    }
}
