import AudioCore

/// Decides when a song starts: once enough listeners are ready, and those found at about the same moment have had their
/// time.
///
/// Listeners gather until the network has had ``BroadcastLimits/searchTime`` to tell of them, and
/// ``BroadcastLimits/arrivalTime`` has passed since the newest came, but for ``BroadcastLimits/gatheringTime`` at most
/// once enough are there. Those that are not ready then have ``BroadcastLimits/readinessTime`` more. If too few remain,
/// the wait begins again. Who is found later joins in step.
struct StartDecision {
    /// The listeners that are there.
    struct Audience {
        var present: Int
        var ready: Int
        var wanted: Int
        /// When the newest of them came; nil without any.
        var newest: HostTime?
    }

    enum Verdict: Hashable {
        case wait
        case start
        /// Start without the named listeners that have not come.
        case startWithoutTheMissing
    }

    /// Since when enough are there.
    private var enoughSince: HostTime?
    /// Whether enough were ready, one at least, when it was last asked.
    private(set) var hasEnoughReady = false

    /// - Parameters:
    ///   - since: when the song could have been started first.
    ///   - searched: since when others are looked for on the network; nil where nobody is.
    ///   - isNamed: whether the wanted listeners were named.
    mutating func judge(
        _ audience: Audience, since: HostTime, searched: HostTime?, isNamed: Bool, now: HostTime
    ) -> Verdict {
        hasEnoughReady = audience.ready >= max(1, audience.wanted)
        guard audience.wanted > 0 else { return .start }
        enoughSince = audience.present < audience.wanted ? nil : enoughSince ?? now
        if isNamed, now - since > BroadcastLimits.namedListenerTime { return .startWithoutTheMissing }
        guard audience.ready >= audience.wanted, let enoughSince else { return .wait }
        let ends = [
            searched.map { $0 + BroadcastLimits.searchTime }, audience.newest.map { $0 + BroadcastLimits.arrivalTime },
        ]
        let gatheringEnd = min(enoughSince + BroadcastLimits.gatheringTime, ends.compactMap(\.self).max() ?? now)
        guard now >= gatheringEnd else { return .wait }
        let areAllReady = audience.ready == audience.present
        return areAllReady || now >= gatheringEnd + BroadcastLimits.readinessTime ? .start : .wait
    }
}
