import AudioCore

/// When a song starts: as soon as as many listeners are ready as are wanted, and those that are found in the same moment
/// have had their time.
///
/// From the moment at which enough are there, ``BroadcastLimits/gatheringTime`` passes; those of them that are not ready
/// then have ``BroadcastLimits/readinessTime`` more. If too few are there again, the time begins anew.
struct StartDecision {
    /// Who is there.
    struct Audience {
        var present: Int
        var ready: Int
        var wanted: Int
    }

    enum Verdict: Hashable {
        case wait
        case start
        /// Who was named and has not come is waited for no longer.
        case startWithoutTheMissing
    }

    private var gatheringEnd: HostTime?

    /// - Parameters:
    ///   - since: when the song could have been started first.
    ///   - isNamed: whether the listeners that are wanted were named.
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
