import AudioCore
import ClockSync
import Peering
import WireProtocol

/// A broadcast that a listener takes part in.
///
///     member ──end was told──▶ draining
///      │  ▲
///    lost rejoined
///      ▼  │
///     disconnected
struct Reception {
    enum Stage: Hashable {
        /// The broadcaster feeds this listener, over this connection.
        case member(ConnectionID)
        /// It said how the broadcast ended: what is held is played out.
        case draining(since: HostTime, BroadcastEnd)
        /// It is gone without a word: what is held is played out, and it is looked for.
        case disconnected(since: HostTime)
    }

    let broadcaster: Greeting
    private(set) var stage: Stage
    /// Nil until the broadcaster said what comes.
    var epoch: ReceivedEpoch?
    private(set) var reports = ReportSchedule()
    /// When the broadcaster was joined, or was back, or this machine woke.
    private var joined: HostTime
    private var hasToldMissingClock = false

    init(of broadcaster: Greeting, over id: ConnectionID, now: HostTime) {
        self.broadcaster = broadcaster
        stage = .member(id)
        joined = now
    }

    var isDisconnected: Bool { if case .disconnected = stage { true } else { false } }

    var summary: AudioStreamSummary { epoch?.summary ?? AudioStreamSummary() }

    /// How far it has come, for when it goes on; nil before it began.
    var place: Disconnection.Place? {
        guard let epoch, epoch.hasBegun else { return nil }
        return Disconnection.Place(epoch: epoch.id, received: epoch.received)
    }

    // MARK: Transitions

    /// The broadcaster goes on over another connection.
    mutating func rejoin(over id: ConnectionID, now: HostTime) {
        stage = .member(id)
        joined = now
        reports = ReportSchedule()
    }

    mutating func lose(now: HostTime) { stage = .disconnected(since: now) }

    mutating func end(_ farewell: BroadcastEnd, now: HostTime) { stage = .draining(since: now, farewell) }

    /// This machine slept: what is waited for has its time again.
    mutating func noteSleep(now: HostTime) {
        joined = now
        if isDisconnected { stage = .disconnected(since: now) }
    }

    // MARK: Decisions

    /// Whether the user is to be told that the broadcaster's clock does not answer; who is then taken as told.
    mutating func isTellingMissingClockDue(now: HostTime) -> Bool {
        guard !hasToldMissingClock, now - joined > ListenLimits.clockPatience else { return false }
        hasToldMissingClock = true
        return true
    }

    /// Whether a report is to be sent; it is then taken as sent.
    mutating func isDue(_ report: ListenerReport, now: HostTime) -> Bool {
        reports.isDue(report, rate: epoch?.rate ?? 48_000, now: now)
    }

    /// Whether nothing that is held remains to be heard.
    /// - Parameter offset: the user's.
    func isPlayedOut(_ clock: ListenerClock, offset: TimeSpan, now: HostTime) -> Bool {
        guard let left, epoch?.hasHeardEnd != true else { return true }
        guard now - left < ListenLimits.longestDrain else { return true }
        guard let last = lastHeldInstant(clock.estimate) else {
            return !clock.isVoid || !isDisconnected || now - left > ListenLimits.wakingPatience
        }
        return now > last + offset + ListenLimits.drainGrace
    }

    /// The same of a recorder, which has recorded what it was given, and waits for a broadcaster that it lost.
    func isRecorded(now: HostTime) -> Bool {
        guard case .disconnected(let since) = stage, epoch?.hasHeardEnd != true else { return true }
        return now - since > ListenLimits.recorderPatience
    }

    /// When the broadcaster left; nil while it is there.
    private var left: HostTime? {
        switch stage {
        case .member: nil
        case .draining(let since, _), .disconnected(let since): since
        }
    }

    /// When the last frame that is held will have been heard; nil while nothing is placed in time.
    private func lastHeldInstant(_ clock: ClockEstimate?) -> HostTime? {
        guard let epoch, let anchor = epoch.anchor, let clock, epoch.hasBegun else { return nil }
        return clock.mapping.host(at: anchor.session(of: min(epoch.received, epoch.end ?? epoch.received)))
    }

    /// How it ended, now that it has.
    var outcome: ListenOutcome {
        switch stage {
        case .draining(_, let farewell) where farewell.kind == .failed:
            .failed(.broadcastFailed(broadcaster.name, reason: farewell.text))
        case .draining: .completed
        case .member, .disconnected: epoch?.hasHeardEnd == true ? .completed : .failed(.lost(broadcaster.name))
        }
    }
}
