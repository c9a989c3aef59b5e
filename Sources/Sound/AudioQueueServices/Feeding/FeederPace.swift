import AudioCore
import Playout

/// How long the queue's thread may sleep after it decoded what there was.
struct FeederPace {
    /// What the last turn came to.
    var step: PacketFeederStep
    var playout: PlayoutSnapshot
    /// Sound in the rings that may still be heard.
    var decoded: TimeSpan
    /// Whether another epoch stands behind the one that plays.
    var isJointAhead: Bool

    /// How soon events are delivered and the played part of the ring is refilled.
    static let tick = TimeSpan.milliseconds(20)
    /// The same while nothing plays.
    static let idleTick = TimeSpan.milliseconds(100)
    /// The longest pause, used when much is decoded: the thread pauses for a third of the decoded time.
    static let longestTick = TimeSpan.seconds(1)
    /// The same with another epoch behind the one that plays: its start is to be told soon.
    static let longestTickBeforeJoint = TimeSpan.milliseconds(250)
    /// After this long without a new frame the device's thread has not run, as when the process was stopped: what is
    /// decoded may be over already, and the next is wanted soon.
    static let longestLag = TimeSpan.milliseconds(100)

    func pause(_ now: HostTime) -> TimeSpan {
        guard playout.state == .playing else {
            return playout.epoch == nil && step != .ringFull ? Self.idleTick : Self.tick
        }
        guard now - playout.newestHost <= Self.longestLag else { return Self.tick }
        let longest = isJointAhead ? Self.longestTickBeforeJoint : Self.longestTick
        return min(longest, max(Self.tick, decoded * (1.0 / 3)))
    }
}
