import AudioCore

/// Decides when a song starts: once enough listeners are ready, and those found at about the same moment have had their
/// time.
///
/// From the moment when enough are there, ``BroadcastLimits/gatheringTime`` passes. Those that are not ready then have
/// ``BroadcastLimits/readinessTime`` more. If too few remain, the wait begins again.
struct StartDecision {
    /// The listeners that are there.
    struct Audience {
        var present: Int
        var ready: Int
        var wanted: Int
    }

    enum Verdict: Hashable {
        case wait
        case start
        /// Start without the named listeners that have not come.
        case startWithoutTheMissing
    }

    private var gatheringEnd: HostTime?

    /// - Parameters:
    ///   - since: when the song could have been started first.
    ///   - isNamed: whether the wanted listeners were named.
    mutating func judge(_ audience: Audience, since: HostTime, isNamed: Bool, now: HostTime) -> Verdict {
        guard audience.wanted > 0 else { return .start }
        if audience.present < audience.wanted {
            gatheringEnd = nil
        } else if gatheringEnd == nil {
            gatheringEnd = now + BroadcastLimits.gatheringTime
        }
        if isNamed, now - since > BroadcastLimits.namedListenerTime { return .startWithoutTheMissing }
        guard audience.ready >= audience.wanted, let gatheringEnd, now >= gatheringEnd else { return .wait }
        let areAllReady = audience.ready == audience.present
        return areAllReady || now >= gatheringEnd + BroadcastLimits.readinessTime ? .start : .wait
    }
}
