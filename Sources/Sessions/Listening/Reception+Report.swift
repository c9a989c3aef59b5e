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
        counters.lostPackets = timeline.losses.total
        let newest = timeline.newest
        return ListenerReport(
            state: timeline.state(playout, clock: clock), epoch: newest?.id ?? Epoch(0),
            received: newest?.received ?? .zero, buffered: timeline.buffered(playout, clock: clock, now: now),
            counters: counters, timing: timing(playout, clock: clock, now: now), lowWater: timeline.lowWater(playout),
            irrevocable: playout.irrevocableSpan)
    }

    /// The report of a recorder, which needs no clock. It is ready once it knows where the sound begins, plays while
    /// others do, and has no timing to compare.
    var recorderReport: ListenerReport {
        var counters = ListenerCounters()
        counters.lostPackets = timeline.losses.total
        return ListenerReport(
            state: timeline.recorderState, epoch: timeline.newest?.id ?? Epoch(0),
            received: timeline.newest?.received ?? .zero, buffered: .zero, counters: counters, timing: nil,
            lowWater: nil)
    }

    private func timing(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> ListenerTiming? {
        guard let clock, let deviceBound = playout.modelBound else { return nil }
        return ListenerTiming(
            error: -(playout.timelineError ?? .zero), errorBound: clock.errorBound(at: now) + deviceBound,
            asymmetryLimit: clock.asymmetryLimit, roundTrip: clock.roundTrip, clockSkew: clock.skew,
            deviceSkew: playout.dacRate, correction: playout.correction)
    }
}

extension ReceivedTimeline {
    /// Returns how far this listener has come.
    fileprivate func state(_ playout: PlayoutSnapshot, clock: ClockEstimate?) -> ListenerState {
        guard let newest else { return .preparing }
        if newest.hasHeardEnd { return .finished }
        switch playout.state {
        case .playing: return .playing
        case .starved: return .starving
        case .finished where playout.epoch == newest.queueEpoch: return .finished
        case .finished, .idle, .waiting: break
        }
        guard newest.hasBegun, clock != nil, playout.modelBound != nil, playout.bufferedFrameCount > 0 else {
            return .preparing
        }
        return newest.cut == nil ? .ready : .paused
    }

    fileprivate var recorderState: ListenerState {
        guard let newest, newest.hasBegun else { return .preparing }
        if newest.hasHeardEnd { return .finished }
        if newest.cut != nil { return .paused }
        return newest.anchor == nil ? .ready : .playing
    }

    fileprivate func lowWater(_ playout: PlayoutSnapshot) -> TimeSpan? {
        guard playout.state == .playing || playout.state == .starved, let queueEpoch = playout.epoch,
            let rate = epoch(inQueue: queueEpoch)?.rate
        else { return nil }
        return TimeSpan(seconds: Double(playout.lowWaterFrameCount) / rate)
    }

    fileprivate func buffered(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> TimeSpan {
        guard let heard, let newest else { return .zero }
        let ahead = heard.buffered(playout, clock: clock, now: now)
        guard newest.id != heard.id else { return ahead }
        return ahead + newest.buffered(PlayoutSnapshot(), clock: nil, now: now)
    }
}

extension ReceivedEpoch {
    /// Returns the song that is held of this epoch and not heard yet.
    fileprivate func buffered(_ playout: PlayoutSnapshot, clock: ClockEstimate?, now: HostTime) -> TimeSpan {
        guard let entry, let rate else { return .zero }
        var heard = playout.epoch == queueEpoch ? playout.position(at: now) : nil
        // After an underrun the sound goes on where it is due by then, not where it stopped.
        if playout.state == .starved, let anchor, let clock {
            heard = anchor.position(at: clock.mapping.session(at: now))
        }
        let first = Double(entry.index)
        let ahead = Double(received.index) - max(heard?.frames ?? first, first)
        return TimeSpan(seconds: max(0, ahead) / rate)
    }
}
