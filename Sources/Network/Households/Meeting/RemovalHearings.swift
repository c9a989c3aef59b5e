import AudioCore
import SecureChannel

/// When this process heard of removals: of those in a document that replaced one without them. What was in its first
/// document was heard long ago.
struct RemovalHearings: Sendable {
    private var times: [PeerKey: HostTime] = [:]

    mutating func note(_ household: Household?, after last: Household?, now: HostTime) {
        guard let household, let last, household.id == last.id else {
            times = [:]
            return
        }
        times = times.filter { now - $0.value < HouseholdLimits.lastWordsTime }
        for key in household.removedKeys where !last.isOut(key) { times[key] = now }
    }

    /// Whether the removal of a key was heard of within ``HouseholdLimits/lastWordsTime``.
    func isRecent(_ key: PeerKey, now: HostTime) -> Bool {
        times[key].map { now - $0 < HouseholdLimits.lastWordsTime } ?? false
    }
}
