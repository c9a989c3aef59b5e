import AudioCore
import WireProtocol

/// Judges from the reports of a broadcast's listeners whether they stay in step. Pure.
///
/// Two listeners are in step when |e1 - e2| + b1 + b2 is within the limit, with each one's own error e and bound b; a
/// lone listener is compared with the timeline itself. A listener that falls silent in the middle, never begins, or
/// vanishes without having finished or said goodbye is out of step, however well it knew its place. One that lost its
/// connection and comes back is judged as if it had never been away: its counters tell whether it fell silent.
///
/// A browser is compared with all others by a limit of its own: all that it knows of its sound card is what it is told.
public struct SyncJudge: Sendable {
    /// How long a connected listener has to begin.
    static let beginTime = TimeSpan.seconds(5)

    /// What is known of one listener from one roster to the next.
    private struct KnownListener {
        var firstSeen: HostTime
        var counters: ListenerCounters
        var hasPlayed = false
        /// Whether it said goodbye or has heard all.
        var hasFinished = false
        /// Its last entry.
        var entry: Roster.Entry
    }

    private let limit: TimeSpan
    private let browserLimit: TimeSpan
    private var known: [UInt64: KnownListener] = [:]
    /// Listeners that vanished and have not come back, in that order; no more than a roster holds.
    private var vanished: [(listener: KnownListener, finding: SyncFinding)] = []
    private var firstJudged: HostTime?
    private var lastJudged: HostTime?
    /// The largest distance seen, browsers left out.
    public private(set) var worst: SyncFinding?
    /// The largest distance of a browser.
    public private(set) var worstOfBrowsers: SyncFinding?
    /// The first listener that was silent when it should not have been.
    public private(set) var silent: SyncFinding?
    /// The most listeners that played at once.
    public private(set) var listenerCount = 0

    /// - Parameter browserLimit: where one of the two, or the one that is alone, is a browser.
    public init(limit: TimeSpan, browserLimit: TimeSpan) {
        self.limit = limit
        self.browserLimit = browserLimit
    }

    /// Time from the first to the last roster in which a listener played, or should have.
    public var watched: TimeSpan {
        guard let firstJudged, let lastJudged else { return .zero }
        return lastJudged - firstJudged
    }

    /// Whether anything was judged.
    public var hasJudged: Bool { firstJudged != nil }

    /// What was wrong; nil if all stayed in step.
    public var objection: SyncFinding? {
        if let worst, worst.distance > limit { return worst }
        if let worstOfBrowsers, worstOfBrowsers.distance > browserLimit { return worstOfBrowsers }
        return silent ?? vanished.first?.finding
    }

    public mutating func note(_ roster: Roster, now: HostTime) {
        let playing = roster.entries.filter { $0.report?.state == .playing && $0.report?.timing != nil }
        noteAbsence(Set(roster.entries.map(\.instance)), now)
        if !playing.isEmpty {
            firstJudged = firstJudged ?? now
            listenerCount = max(listenerCount, playing.count)
        }
        if firstJudged != nil, !playing.isEmpty || !vanished.isEmpty { lastJudged = now }
        for entry in roster.entries { judgeSilence(of: entry, roster, now) }
        let browsers = playing.filter(\.isBrowser)
        worst = farthest(playing.filter { !$0.isBrowser }, now).map { worse($0, worst) } ?? worst
        let ofBrowsers = farthestBrowser(browsers, among: playing, now)
        worstOfBrowsers = ofBrowsers.map { worse($0, worstOfBrowsers) } ?? worstOfBrowsers
    }

    // MARK: Distances

    private func worse(_ one: SyncFinding, _ other: SyncFinding?) -> SyncFinding {
        if let other, other.distance >= one.distance { other } else { one }
    }

    /// Returns the two listeners that are farthest apart; one that is alone is compared with the timeline.
    private func farthest(_ playing: [Roster.Entry], _ now: HostTime) -> SyncFinding? {
        var farthest: SyncFinding?
        if playing.count == 1 { return finding(playing[0], now) }
        for (index, a) in playing.enumerated() {
            for b in playing[(index + 1)...] { farthest = finding(a, b, now).map { worse($0, farthest) } ?? farthest }
        }
        return farthest
    }

    /// The same of pairs of which one is a browser.
    private func farthestBrowser(
        _ browsers: [Roster.Entry], among playing: [Roster.Entry], _ now: HostTime
    ) -> SyncFinding? {
        if playing.count == 1, let alone = browsers.first { return finding(alone, now) }
        var farthest: SyncFinding?
        for browser in browsers {
            for other in playing where other.instance != browser.instance {
                farthest = finding(browser, other, now).map { worse($0, farthest) } ?? farthest
            }
        }
        return farthest
    }

    /// Compares a listener with the timeline.
    private func finding(_ alone: Roster.Entry, _ now: HostTime) -> SyncFinding? {
        alone.report?.timing.map { finding(alone, besides: nil, $0.distance(to: .exact), now) }
    }

    private func finding(_ a: Roster.Entry, _ b: Roster.Entry, _ now: HostTime) -> SyncFinding? {
        guard let first = a.report?.timing, let second = b.report?.timing else { return nil }
        let isFirst = first.distance(to: .exact) >= second.distance(to: .exact)
        return finding(isFirst ? a : b, besides: isFirst ? b : a, first.distance(to: second), now)
    }

    private func finding(
        _ culprit: Roster.Entry, besides other: Roster.Entry?, _ distance: TimeSpan, _ now: HostTime
    ) -> SyncFinding {
        SyncFinding(
            culprit: culprit.name, other: other?.name, distance: distance, timing: culprit.report?.timing,
            after: firstJudged.map { now - $0 } ?? .zero, reason: reason(culprit))
    }

    /// Returns why a listener is where it is, as far as its report tells.
    private func reason(_ entry: Roster.Entry) -> SyncFinding.Reason {
        guard let report = entry.report, let timing = report.timing else { return .unknown }
        let before = known[entry.instance]?.counters ?? ListenerCounters()
        if report.counters.xruns > before.xruns { return .xruns(report.counters.xruns - before.xruns) }
        if report.counters.replacements > before.replacements {
            return .replacements(report.counters.replacements - before.replacements)
        }
        if timing.errorBound > timing.error.magnitude {
            return timing.roundTrip > .milliseconds(1) ? .slowLink(timing.roundTrip) : .unsure
        }
        return abs(timing.correction.value) >= 0.05 ? .correcting(timing.correction) : .unknown
    }

    // MARK: Silence

    /// Drops the listeners that are gone; one that played and had not finished has vanished.
    private mutating func noteAbsence(_ present: Set<UInt64>, _ now: HostTime) {
        for index in vanished.indices.reversed() where present.contains(vanished[index].listener.entry.instance) {
            let returned = vanished.remove(at: index).listener
            known[returned.entry.instance] = returned
        }
        let absent = known.values.filter { !present.contains($0.entry.instance) }
        known = known.filter { present.contains($0.key) }
        for listener in absent.sorted(by: { $0.entry.name < $1.entry.name })
        where listener.hasPlayed && !listener.hasFinished && vanished.count < WireLimits.rosterEntryCount {
            let finding = SyncFinding(
                culprit: listener.entry.name, other: nil, distance: .zero,
                timing: listener.entry.report?.timing,
                after: firstJudged.map { now - $0 } ?? .zero, reason: .vanished)
            vanished.append((listener, finding))
        }
    }

    private mutating func judgeSilence(of entry: Roster.Entry, _ roster: Roster, _ now: HostTime) {
        let state = entry.report?.state ?? .connecting
        var listener =
            known[entry.instance]
            ?? KnownListener(firstSeen: now, counters: entry.report?.counters ?? ListenerCounters(), entry: entry)
        if state == .playing { listener.hasPlayed = true }
        listener.hasFinished = state == .finished
        listener.entry = entry
        if roster.state == .waiting { listener.firstSeen = now }
        known[entry.instance] = listener
        guard roster.state != .waiting, silent == nil else { return }
        let isStarving = state == .starving && listener.hasPlayed
        let isLate = !listener.hasPlayed && state != .finished && now - listener.firstSeen > Self.beginTime
        guard isStarving || isLate else { return }
        silent = SyncFinding(
            culprit: entry.name, other: nil, distance: .zero, timing: entry.report?.timing,
            after: firstJudged.map { now - $0 } ?? .zero, reason: isStarving ? .starved : .notBegun(state))
    }
}

/// A listener that was out of step, or the farthest from the others.
public struct SyncFinding: Hashable, Sendable {
    /// The cause, as far as the listener's own report tells.
    public enum Reason: Hashable, Sendable {
        case xruns(UInt32)
        case replacements(UInt32)
        /// The bound is the larger part, and the round trip is long.
        case slowLink(TimeSpan)
        /// The bound is the larger part.
        case unsure
        case correcting(PartsPerMillion)
        /// Packets came too late.
        case starved
        /// It was connected and did not play.
        case notBegun(ListenerState)
        /// It played, and its connection broke without a farewell.
        case vanished
        case unknown
    }

    /// Whichever of the two is farther from the timeline.
    public var culprit: String
    /// The other listener; nil if compared with the timeline itself.
    public var other: String?
    /// |e1 - e2| + b1 + b2.
    public var distance: TimeSpan
    /// The culprit's timing.
    public var timing: ListenerTiming?
    /// Time since the first roster that was judged.
    public var after: TimeSpan
    public var reason: Reason

    public init(
        culprit: String, other: String?, distance: TimeSpan, timing: ListenerTiming?, after: TimeSpan, reason: Reason
    ) {
        self.culprit = culprit
        self.other = other
        self.distance = distance
        self.timing = timing
        self.after = after
        self.reason = reason
    }
}
