import AudioCore
import AudioDecoding
import Playout
import Synchronization

/// What an epoch's packets share between intake and decoding.
final class FeederEpoch: Sendable {
    let stream: TimelineQueueStream
    let rendition: Rendition
    /// Interrupted by ``end()``.
    let interrupt = DecodingInterrupt()
    private let decoded: Atomic<Int64>
    private let damaged = Atomic(0)
    private let over = Atomic(false)

    init(stream: TimelineQueueStream, rendition: Rendition) {
        self.stream = stream
        self.rendition = rendition
        decoded = Atomic(stream.firstFrame.index)
    }

    /// The end of the frames that are decoded, or known to be missing.
    var decodedEnd: FramePosition { FramePosition(decoded.load(ordering: .relaxed)) }

    /// Damaged packets, which became silence.
    var damagedPacketCount: Int { damaged.load(ordering: .relaxed) }

    /// Whether nothing more is to be decoded.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Interrupts whoever waits for its decoder, which is not needed any more.
    func end() {
        over.store(true, ordering: .releasing)
        interrupt.interrupt()
    }

    /// Called by the decoding side.
    func note(decodedEnd: FramePosition) { decoded.store(decodedEnd.index, ordering: .relaxed) }

    /// Called by the decoding side.
    func note(damagedPacketCount: Int) { damaged.store(damagedPacketCount, ordering: .relaxed) }

    /// The length of the ramps at the edges of a gap, in frames.
    var rampFrameCount: Int { Int(rendition.sampleRate * 0.005) }
}

/// The next task for the decoding side.
struct FeederTask {
    /// The task's epoch; nil if there is none.
    var epoch: FeederEpoch?
    var work: Work

    enum Work {
        /// Nothing to do until packets come or frames are heard.
        case wait(PacketFeederStep)
        case makeDecoder
        /// Write silence from where the sound stopped up to this position.
        case skip(to: FramePosition)
        /// - Parameter audible: the packet's audible frames, counted from its first. The ring has room for them.
        case decode(QueuedPacket, audible: Range<Int>)
    }
}
