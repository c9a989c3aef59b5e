import AudioCore
import Playout

/// The state of a queue.
public struct TimelineQueueSnapshot: Hashable, Sendable {
    public var playout = PlayoutSnapshot()
    public var feeder = PacketFeederSnapshot()

    public init() {}

    /// Song time held beyond the newest rendered frame, of all epochs, decoded or not.
    public var buffered: TimeSpan { feeder.queuedSpan + playout.bufferedSpan }
}

/// The state of a packet feeder.
public struct PacketFeederSnapshot: Hashable, Sendable {
    /// The epoch that is decoded, or the newest one once all are; nil before the first.
    public var epoch: Epoch?
    public var sampleRate: Double = 0
    /// Encoded packets that are queued, of all epochs.
    public var queuedPacketCount = 0
    public var queuedByteCount = 0
    /// Song time from the start of the first queued packet to the end of the last, of all epochs.
    public var queuedSpan: TimeSpan = .zero
    /// The same of ``epoch``, in frames.
    public var queuedFrameCount: Int64 = 0
    /// The end of the decoded frames; nil before the first epoch.
    public var decodedEnd: FramePosition?
    /// Gaps between packets since the feeder was made, and the frames in them.
    public var gapCount = 0
    public var missingFrameCount: Int64 = 0
    /// Packets not accepted since the feeder was made, by reason.
    public var stalePacketCount = 0
    public var refusedPacketCount = 0
    public var invalidPacketCount = 0
    /// Damaged packets of the current epoch, which became silence.
    public var damagedPacketCount = 0

    public init() {}
}
