import AudioCore
import AudioDecoding
import Playout

// Turns packets into frames in the ring.
//
// Every packet gives the position of its first frame, and every frame goes to exactly its position. So the feeder never
// relies on packets being complete: a gap between two packets is silence, frames before the first wanted one or after
// the end are dropped, and a packet that ends before the end of what exists is stale. At a gap the decoder is reset,
// and the edges are smoothed: the last frame fades out over 5 ms, the next ones ramp up over 5 ms. The packets after a
// gap may begin with pre-roll; if they were announced with a first frame, nothing before it is heard.
//
// Decoding is paced by room in the ring, one packet per `feed()`, so the caller decides how long it works.
//
// There are two parts: the intake takes packets and returns the next task, at once; the decoding performs it, for as
// long as a decoder takes. An audio queue runs the two on different threads, the feeder on one.

/// Decodes the packets of epochs into the rings of their renditions: the part of an audio queue without threads and
/// clocks.
///
/// Bounded by ``TimelineQueueLimits``. Not thread-safe; not for a real-time thread.
public struct PacketFeeder {
    private var intake: PacketIntake
    private var decoding: PacketDecoding

    public init(decoders: DecoderCatalog, limits: TimelineQueueLimits = TimelineQueueLimits()) {
        intake = PacketIntake(limits: limits)
        decoding = PacketDecoding(decoders: decoders)
    }

    /// Drops all epochs, and makes the rendition of a new one. Packets are taken at once; ``feed()`` makes the
    /// decoder.
    /// - Throws: if no decoder can have such a format; the feeder then has no epoch.
    public mutating func begin(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
        try intake.begin(stream)
    }

    /// Makes the rendition of an epoch that stands behind all others. Its packets are taken at once, and decoded once
    /// theirs are.
    /// - Throws: if no decoder can have such a format; nothing has changed then.
    public mutating func append(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
        try intake.append(stream)
    }

    /// Enqueues a copy of one packet of an epoch; its first frame is at `frame`.
    public mutating func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        intake.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
    }

    /// Enqueues copies of consecutive packets of an epoch; the first one's first frame is at `position`.
    /// - Parameter packets: each within `data`.
    /// - Returns: how many were accepted.
    @discardableResult
    public mutating func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        intake.enqueue(packets, data: data, at: position, epoch: epoch)
    }

    /// Sets the first frame to be heard of the packets to come, if they follow a gap: those before it are pre-roll.
    /// Without a gap nothing changes.
    public mutating func reenter(at frame: FramePosition, epoch: Epoch) { intake.reenter(at: frame, epoch: epoch) }

    /// Sets the position after the last audible frame.
    /// - Parameter packetsFollow: whether more packets may come. If not, anything missing up to `end` is silence.
    public mutating func finish(at end: FramePosition, packetsFollow: Bool, epoch: Epoch) {
        intake.finish(at: end, packetsFollow: packetsFollow, epoch: epoch)
    }

    /// Has what stands behind this epoch be decoded before the rest of it, until it is resumed.
    public mutating func cut(_ epoch: Epoch) { intake.cut(epoch) }

    /// Has the epoch be decoded as before the cut.
    public mutating func resume(_ epoch: Epoch) { intake.resume(epoch) }

    /// Drops some epochs and their queued packets.
    public mutating func drop(where isDropped: (Epoch) -> Bool) { intake.drop(where: isDropped) }

    /// Drops all epochs and all queued packets.
    public mutating func flush() { intake.flush() }

    /// Makes the decoder if needed, and decodes the next packet if there is one and the ring has room for it.
    public mutating func feed() -> PacketFeederStep {
        while true {
            let task = intake.next()
            do throws(AudioDecodingError) {
                let step = try decoding.perform(task)
                if case .makeDecoder = task.work { continue }
                return step
            } catch {
                return intake.fail(task, error)
            }
        }
    }

    public var snapshot: PacketFeederSnapshot { intake.snapshot }
}

/// The result of one step of a feeder.
public enum PacketFeederStep: Hashable, Sendable {
    /// A packet was decoded, or a gap was filled. There may be more to do.
    case fed
    /// The ring is full: try again when some of it was played.
    case ringFull
    /// All packets are decoded.
    case idle
    /// No decoder can be made for an epoch. Reported once; the feeder no longer has it.
    case cannotDecode(AudioDecodingError)
    /// Decoding failed. Reported once; the feeder takes no more packets of the epoch.
    case failed(AudioDecodingError)
}
