import AudioCore
import ClockSync
import Playout
import WireProtocol

/// How far a broadcast was received over a connection that broke.
struct BrokenReception {
    var instance: UInt64
    var epoch: Epoch
    var received: FramePosition
}

/// What a listener knows of the broadcast that it is in.
struct Reception {
    let broadcaster: Greeting
    /// When the broadcaster was joined, or was back.
    var joined: HostTime
    var hasMissedClock = false
    /// As the broadcaster counts.
    var epoch: Epoch?
    /// As this listener counts, over all broadcasts that it hears: what its audio queue goes by.
    var queueEpoch = Epoch(0)
    var summary = AudioStreamSummary()
    var anchor: Anchor?
    /// Where the packets that follow begin.
    var nextPackets: FramePosition?
    /// First frame to be heard.
    var entry: FramePosition?
    /// Whether the queue was told of the epoch.
    var hasBegun = false
    /// The frame after the last one received.
    var received = FramePosition.zero
    var end: FramePosition?
    var heardEnd = false
    var lostPacketCount: UInt32 = 0
    /// Of those, what the user was not told of, and when there was something told.
    var untoldLossCount: UInt32 = 0
    var lossTold: HostTime?
    var farewell: BroadcastEnd?

    init(broadcaster: Greeting, joined: HostTime) {
        self.broadcaster = broadcaster
        self.joined = joined
    }

    /// When the last frame that is held will have been heard; nil while nothing is placed in time.
    func lastHeldInstant(_ clock: ClockEstimate?) -> HostTime? {
        guard let anchor, let clock, hasBegun else { return nil }
        return clock.mapping.host(at: anchor.session(of: min(received, end ?? received)))
    }

    /// How far it has come.
    func state(_ playout: PlayoutSnapshot, clock: ClockEstimate?) -> ListenerState {
        if heardEnd { return .finished }
        guard hasBegun, playout.epoch == queueEpoch else { return .preparing }
        switch playout.state {
        case .playing: return .playing
        case .starved: return .starving
        case .finished: return .finished
        case .idle, .waiting:
            return clock != nil && playout.modelBound != nil && playout.bufferedFrameCount > 0 ? .ready : .preparing
        }
    }

    /// The report for the broadcaster, and for this listener's own display.
    func report(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> ListenerReport {
        var counters = ListenerCounters()
        counters.xruns = UInt32(clamping: playout.xrunCount)
        counters.underruns = UInt32(clamping: playout.underrunCount)
        counters.replacements = UInt32(clamping: playout.replacementCount)
        counters.timelineSteps = UInt32(clamping: playout.timelineStepCount)
        counters.deviceClockSteps = UInt32(clamping: playout.deviceClockStepCount)
        counters.deviceRestarts = UInt32(clamping: playout.deviceRestartCount)
        counters.lostPackets = lostPacketCount
        return ListenerReport(
            state: state(playout, clock: clock), epoch: epoch ?? Epoch(0), received: received,
            buffered: buffered(playout, clock: clock, now: now), counters: counters,
            timing: timing(playout, clock: clock, now: now), lowWater: lowWater(playout))
    }

    /// Of a recorder, which needs to know no time: it is ready as soon as it is told where the sound begins, plays while
    /// others do, and counts for no distance.
    var recorderReport: ListenerReport {
        var counters = ListenerCounters()
        counters.lostPackets = lostPacketCount
        let state: ListenerState =
            if heardEnd { .finished } else if !hasBegun { .preparing } else { anchor == nil ? .ready : .playing }
        return ListenerReport(
            state: state, epoch: epoch ?? Epoch(0), received: received, buffered: .zero, counters: counters,
            timing: nil,
            lowWater: nil)
    }

    private func lowWater(_ playout: PlayoutSnapshot) -> TimeSpan? {
        guard playout.state == .playing || playout.state == .starved, playout.epoch == queueEpoch,
            let rate = summary.format?.sampleRate, rate > 0
        else { return nil }
        return TimeSpan(seconds: Double(playout.lowWaterFrameCount) / rate)
    }

    private func buffered(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> TimeSpan {
        guard hasBegun, let rate = summary.format?.sampleRate else { return .zero }
        var heard = playout.position(at: now)
        // What ran dry goes on where it is due by then, not where it stopped.
        if playout.state == .starved, let anchor, let clock {
            heard = anchor.position(at: clock.mapping.session(at: now))
        }
        let first = Double((entry ?? .zero).index)
        let ahead = Double(received.index) - max(heard?.frames ?? first, first)
        return TimeSpan(seconds: max(0, ahead) / rate)
    }

    private func timing(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> ListenerTiming? {
        guard let clock, let deviceBound = playout.modelBound else { return nil }
        return ListenerTiming(
            error: -(playout.timelineError ?? .zero), errorBound: clock.errorBound(at: now) + deviceBound,
            asymmetryLimit: clock.asymmetryLimit, roundTrip: clock.roundTrip, clockSkew: clock.skew,
            deviceSkew: playout.dacRate, correction: playout.correction)
    }
}
