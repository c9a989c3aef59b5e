import AudioCore
import Playout

/// How a queue stands.
public struct TimelineQueueSnapshot: Hashable, Sendable {
    public var playout = PlayoutSnapshot()
    public var feeder = PacketFeederSnapshot()

    public init() {}

    /// Song time held ahead of the newest rendered frame, decoded or not.
    public var buffered: TimeSpan {
        guard feeder.sampleRate > 0 else { return .zero }
        return TimeSpan(
            seconds: Double(feeder.queuedFrameCount + Int64(playout.bufferedFrameCount)) / feeder.sampleRate)
    }
}

/// How a packet feeder stands.
public struct PacketFeederSnapshot: Hashable, Sendable {
    /// Of the current epoch; nil before the first.
    public var epoch: Epoch?
    public var sampleRate: Double = 0
    /// Encoded packets that wait.
    public var queuedPacketCount = 0
    public var queuedByteCount = 0
    /// Frames from the first waiting packet to the end of the last.
    public var queuedFrameCount: Int64 = 0
    /// Frames up to here are decoded; nil before the first epoch.
    public var decodedEnd: FramePosition?
    /// Since the feeder was made: gaps between packets, and the frames in them.
    public var gapCount = 0
    public var missingFrameCount: Int64 = 0
    /// Since the feeder was made: packets that were not accepted, by reason.
    public var stalePacketCount = 0
    public var refusedPacketCount = 0
    public var invalidPacketCount = 0
    /// Packets of the current epoch that were damaged and became silence.
    public var damagedPacketCount = 0

    public init() {}
}
