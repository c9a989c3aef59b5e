import AudioCore
import ClockSync
import Households
import Peering
import SecureChannel
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
        /// The broadcaster feeds this listener over this connection.
        case member(ConnectionID)
        /// The broadcaster said how the broadcast ended: what is held is played out.
        case draining(since: HostTime, BroadcastEnd)
        /// The broadcaster vanished without a farewell: what is held is played out, and the listener looks for it.
        case disconnected(since: HostTime)
    }

    let broadcaster: Greeting
    /// How well it was known when it was joined.
    let acquaintance: Acquaintance
    /// The key that the broadcaster has proved to have.
    let key: PeerKey?
    /// What the broadcaster is to this machine, or was when it left.
    private(set) var standing: PeerStanding
    private(set) var stage: Stage
    var timeline = ReceivedTimeline()
    /// The title of what plays next; nil if nothing does.
    var nextTitle: String?
    /// In which order items follow one another.
    var modes = PlayModes()
    private(set) var reports = ReportSchedule()
    /// When the broadcaster was joined or came back, or this machine woke.
    private var joined: HostTime
    private var hasToldMissingClock = false

    init(
        of broadcaster: Greeting, _ acquaintance: Acquaintance, over id: ConnectionID, _ connection: PeerConnection?,
        now: HostTime
    ) {
        self.broadcaster = broadcaster
        self.acquaintance = acquaintance
        key = connection?.remoteKey
        standing = connection?.standing ?? .stranger
        stage = .member(id)
        joined = now
    }

    var isDisconnected: Bool { if case .disconnected = stage { true } else { false } }

    /// The stream that is heard, or will be heard next.
    var summary: AudioStreamSummary { timeline.heard?.summary ?? AudioStreamSummary() }

    /// How far the song has come, for when it goes on; nil before it began.
    var place: Disconnection.Place? {
        guard let epoch = timeline.newest, epoch.hasBegun else { return nil }
        return Disconnection.Place(epoch: epoch.id, received: epoch.received)
    }

    // MARK: Transitions

    /// Goes on over another connection to the broadcaster.
    mutating func rejoin(over id: ConnectionID, _ connection: PeerConnection?, now: HostTime) {
        stage = .member(id)
        standing = connection?.standing ?? .stranger
        joined = now
        reports = ReportSchedule()
        nextTitle = nil
        modes = PlayModes()
    }

    mutating func note(_ standing: PeerStanding) { self.standing = standing }

    mutating func lose(now: HostTime) { stage = .disconnected(since: now) }

    mutating func end(_ farewell: BroadcastEnd, now: HostTime) {
        stage = .draining(since: now, farewell)
        nextTitle = nil
    }

    /// Notes that this machine slept: time-outs start again.
    mutating func noteSleep(now: HostTime) {
        joined = now
        if isDisconnected { stage = .disconnected(since: now) }
    }

    // MARK: Decisions

    /// Returns whether to tell the user, once, that the broadcaster's clock does not answer.
    mutating func takeMissingClockReport(now: HostTime) -> Bool {
        guard !hasToldMissingClock, now - joined > ListenLimits.clockPatience else { return false }
        hasToldMissingClock = true
        return true
    }

    /// Reports as rarely as the broadcaster asks.
    mutating func report(every interval: TimeSpan) { reports.interval = interval }

    /// Returns whether to send this report, and takes it as sent.
    mutating func isDue(_ report: ListenerReport, now: HostTime) -> Bool {
        reports.isDue(report, rate: timeline.newest?.rate ?? 48_000, now: now)
    }

    /// Returns whether everything that is held was heard.
    /// - Parameter offset: the user's offset.
    func isPlayedOut(_ clock: ListenerClock, offset: TimeSpan, now: HostTime) -> Bool {
        guard let left, !timeline.hasHeardEnd else { return true }
        guard now - left < ListenLimits.longestDrain else { return true }
        guard let last = lastHeldInstant(clock.estimate) else {
            return !clock.isVoid || !isDisconnected || now - left > ListenLimits.wakingPatience
        }
        return now > last + offset + ListenLimits.drainGrace
    }

    /// Returns the same for a recorder. It has recorded all it was sent, but still waits for a lost broadcaster.
    func isRecorded(now: HostTime) -> Bool {
        guard case .disconnected(let since) = stage, !timeline.hasHeardEnd else { return true }
        return now - since > ListenLimits.recorderPatience
    }

    /// When the broadcaster left; nil while it is connected.
    var left: HostTime? {
        switch stage {
        case .member: nil
        case .draining(let since, _), .disconnected(let since): since
        }
    }

    /// Returns when the last held frame leaves the loudspeakers; nil while nothing is placed in time.
    private func lastHeldInstant(_ clock: ClockEstimate?) -> HostTime? {
        guard let epoch = timeline.placed.last ?? timeline.heard, let anchor = epoch.anchor, let clock, epoch.hasBegun
        else { return nil }
        return clock.mapping.host(at: anchor.session(of: epoch.heldEnd))
    }

    /// The outcome of a broadcast that is over.
    var outcome: ListenOutcome {
        switch stage {
        case .draining(_, let farewell) where farewell.kind == .failed:
            .failed(.broadcastFailed(broadcaster.name, reason: farewell.text))
        case .draining: .completed
        case .member, .disconnected: timeline.hasHeardEnd ? .completed : .failed(.lost(broadcaster.name))
        }
    }
}
