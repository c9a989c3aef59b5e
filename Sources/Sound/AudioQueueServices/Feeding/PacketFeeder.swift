import AudioCore
import AudioDecoding
import Playout

// From packets to frames in the ring.
//
// Every packet says where its first frame lies; every frame goes to that place and nowhere else. So the feeder never
// counts on packets being complete: what lies between the end of one and the beginning of the next is silence, what
// lies before the first wanted frame or after the end is dropped, and a packet that ends before what we already have
// is stale. At a gap the decoder starts afresh, and the edges are smoothed: the last frame dies away over 5 ms, the
// first one after it comes in over 5 ms. The packets that go on behind a gap may begin with what the decoder needs
// first; where they were announced with a first frame, nothing before that is heard.
//
// Decoding is paced by room in the ring, one packet for each `feed()`, so that the caller decides how long it works.
//
// Two parts: the intake takes packets and says what is to be done next, at once; the decoding does it, for as long as a
// decoder takes. An audio queue has the two on different threads, here they are one.

/// Decodes an epoch's packets into its rendition's ring: the part of an audio queue without threads and clocks.
///
/// Bounded by ``TimelineQueueLimits``. Not thread-safe; not for a real-time thread.
public struct PacketFeeder {
    private var intake: PacketIntake
    private var decoding: PacketDecoding

    public init(decoders: DecoderCatalog, limits: TimelineQueueLimits = TimelineQueueLimits()) {
        intake = PacketIntake(limits: limits)
        decoding = PacketDecoding(decoders: decoders)
    }

    /// Drops everything of the epoch before, and makes the rendition of a new one. Its decoder is made by ``feed()``;
    /// packets are taken before.
    /// - Throws: where no decoder could have such a format; the feeder then has no epoch.
    public mutating func begin(_ stream: TimelineQueueStream) throws(AudioDecodingError) -> Rendition {
        try intake.begin(stream)
    }

    /// Takes a copy of one packet of the current epoch; its first frame lies at `frame`.
    public mutating func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        intake.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
    }

    /// Takes a copy of packets of the current epoch that follow one another; the first frame of the first lies at
    /// `position`.
    /// - Parameter packets: each within `data`.
    /// - Returns: how many were accepted.
    @discardableResult
    public mutating func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        intake.enqueue(packets, data: data, at: position, epoch: epoch)
    }

    /// States that the packets to come are for hearing from `frame` on, if they lie behind a gap: those before it warm
    /// the decoder up. Where they follow without a gap nothing changes.
    public mutating func reenter(at frame: FramePosition, epoch: Epoch) { intake.reenter(at: frame, epoch: epoch) }

    /// States the position after the last audible frame.
    /// - Parameter packetsFollow: whether packets may still come. If not, what is missing up to `end` is silence.
    public mutating func finish(at end: FramePosition, packetsFollow: Bool, epoch: Epoch) {
        intake.finish(at: end, packetsFollow: packetsFollow, epoch: epoch)
    }

    /// Drops the current epoch and all that waits.
    public mutating func flush() { intake.flush() }

    /// Makes the decoder that is missing, and decodes the next packet, if there is one and the ring has room for it.
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

/// What one step of a feeder did.
public enum PacketFeederStep: Hashable, Sendable {
    /// A packet was decoded, or a gap was filled. There may be more to do.
    case fed
    /// The ring is full: come back when some of it was played.
    case ringFull
    /// All packets are decoded.
    case idle
    /// There is no decoder for the epoch. Said once; the feeder then has no epoch.
    case cannotDecode(AudioDecodingError)
    /// Decoding cannot go on. Said once; the feeder is idle until the next `begin`.
    case failed(AudioDecodingError)
}
