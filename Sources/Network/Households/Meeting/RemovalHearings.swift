import SecureChannel

/// When this process heard of removals: of those in a document that replaced one without them. What was in its first
/// document was heard long ago.
///
/// Times are in seconds since 1970. Where the clock is set meanwhile, nothing was heard lately.
struct RemovalHearings: Sendable {
    private var times: [PeerKey: Int64] = [:]

    mutating func note(_ household: Household?, after last: Household?, at unixTime: Int64) {
        guard let household, let last, household.id == last.id else {
            times = [:]
            return
        }
        times = times.filter { Self.isRecent($0.value, at: unixTime) }
        for key in household.removedKeys where !last.isOut(key) { times[key] = unixTime }
    }

    /// Whether the removal of a key was heard of within ``HouseholdLimits/lastWordsSeconds``.
    func isRecent(_ key: PeerKey, at unixTime: Int64) -> Bool {
        times[key].map { Self.isRecent($0, at: unixTime) } ?? false
    }

    private static func isRecent(_ time: Int64, at unixTime: Int64) -> Bool {
        time <= unixTime && unixTime - time < HouseholdLimits.lastWordsSeconds
    }
}
