import AudioCore
import ClockSync
import Playout
import WireProtocol

/// Reporting to the broadcaster.
extension Reception {
    /// Returns the report for the broadcaster, and for this listener's own display.
    func report(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> ListenerReport {
        var counters = ListenerCounters()
        counters.xruns = UInt32(clamping: playout.xrunCount)
        counters.underruns = UInt32(clamping: playout.underrunCount)
        counters.replacements = UInt32(clamping: playout.replacementCount)
        counters.timelineSteps = UInt32(clamping: playout.timelineStepCount)
        counters.deviceClockSteps = UInt32(clamping: playout.deviceClockStepCount)
        counters.deviceRestarts = UInt32(clamping: playout.deviceRestartCount)
        counters.lostPackets = epoch?.losses.total ?? 0
        return ListenerReport(
            state: epoch?.state(playout, clock: clock) ?? .preparing, epoch: epoch?.id ?? Epoch(0),
            received: epoch?.received ?? .zero, buffered: epoch?.buffered(playout, clock: clock, now: now) ?? .zero,
            counters: counters, timing: timing(playout, clock: clock, now: now), lowWater: epoch?.lowWater(playout))
    }

    /// The report of a recorder, which needs no clock. It is ready once it knows where the sound begins, plays while
    /// others do, and has no timing to compare.
    var recorderReport: ListenerReport {
        var counters = ListenerCounters()
        counters.lostPackets = epoch?.losses.total ?? 0
        return ListenerReport(
            state: epoch?.recorderState ?? .preparing, epoch: epoch?.id ?? Epoch(0),
            received: epoch?.received ?? .zero, buffered: .zero, counters: counters, timing: nil, lowWater: nil)
    }

    private func timing(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> ListenerTiming? {
        guard let clock, let deviceBound = playout.modelBound else { return nil }
        return ListenerTiming(
            error: -(playout.timelineError ?? .zero), errorBound: clock.errorBound(at: now) + deviceBound,
            asymmetryLimit: clock.asymmetryLimit, roundTrip: clock.roundTrip, clockSkew: clock.skew,
            deviceSkew: playout.dacRate, correction: playout.correction)
    }
}

extension ReceivedEpoch {
    /// Returns how far this listener has come.
    fileprivate func state(_ playout: PlayoutSnapshot, clock: ClockEstimate?) -> ListenerState {
        if hasHeardEnd { return .finished }
        guard hasBegun, playout.epoch == queueEpoch else { return .preparing }
        switch playout.state {
        case .playing: return .playing
        case .starved: return .starving
        case .finished: return .finished
        case .idle, .waiting:
            return clock != nil && playout.modelBound != nil && playout.bufferedFrameCount > 0 ? .ready : .preparing
        }
    }

    fileprivate var recorderState: ListenerState {
        if hasHeardEnd { return .finished }
        guard hasBegun else { return .preparing }
        return anchor == nil ? .ready : .playing
    }

    fileprivate func lowWater(_ playout: PlayoutSnapshot) -> TimeSpan? {
        guard playout.state == .playing || playout.state == .starved, playout.epoch == queueEpoch, let rate else {
            return nil
        }
        return TimeSpan(seconds: Double(playout.lowWaterFrameCount) / rate)
    }

    fileprivate func buffered(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> TimeSpan {
        guard let entry, let rate else { return .zero }
        var heard = playout.position(at: now)
        // After an underrun the sound goes on where it is due by then, not where it stopped.
        if playout.state == .starved, let anchor, let clock {
            heard = anchor.position(at: clock.mapping.session(at: now))
        }
        let first = Double(entry.index)
        let ahead = Double(received.index) - max(heard?.frames ?? first, first)
        return TimeSpan(seconds: max(0, ahead) / rate)
    }
}
