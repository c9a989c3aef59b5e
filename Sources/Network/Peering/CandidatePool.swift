import AudioCore

// Whoever can reach the port can open connections and let them stand. Until a connection has proved to be of use it is a
// candidate, and candidates have few places and little memory in sum, so that those who take many of either take them
// from each other. Places are counted by the groups of addresses that one owner may have (``AddressGroup``).
//
// When all places are taken, the groups with the most candidates lose one, the newcomer counted as well: within those
// groups the addresses with the most, and of these the newest. So an honest newcomer from elsewhere gets its place, and
// many newcomers do not put out those who are about to prove themselves. One that was there for long enough to prove
// itself goes before the newest: nobody keeps others out by standing still.

/// Connections that have not proved themselves, with bounds of their own on their number and on what they make us hold.
struct CandidatePool {
    private struct Candidate {
        var address: String
        var group: AddressGroup
        var since: HostTime
        var heldByteCount = 0
    }

    /// Who loses its place to a newcomer.
    enum Overflow: Hashable {
        case newcomer
        case candidate(ConnectionID)
    }

    private let limits: CandidateLimits
    private var candidates = ArrivalList<ConnectionID, Candidate>()
    /// Candidates of each group and of each address.
    private var groupCounts: [AddressGroup: Int] = [:]
    private var addressCounts: [String: Int] = [:]
    private var heldByteCount = 0

    init(_ limits: CandidateLimits) { self.limits = limits }

    var count: Int { candidates.count }
    var isFull: Bool { candidates.count >= limits.count }

    mutating func add(_ id: ConnectionID, address: String, now: HostTime) {
        let group = AddressGroup(address)
        candidates[id] = Candidate(address: address, group: group, since: now)
        groupCounts[group, default: 0] += 1
        addressCounts[address, default: 0] += 1
    }

    /// It has proved itself, or is gone.
    mutating func remove(_ id: ConnectionID) {
        guard let candidate = candidates.remove(id) else { return }
        groupCounts.countDown(candidate.group)
        addressCounts.countDown(candidate.address)
        heldByteCount -= candidate.heldByteCount
    }

    /// Who makes room where there is none; to be asked before the newcomer is added.
    func overflow(newcomer address: String, now: HostTime) -> Overflow {
        let group = AddressGroup(address)
        func rank(_ candidate: Candidate) -> (Int, Int) {
            (
                groupCounts[candidate.group, default: 0] + (candidate.group == group ? 1 : 0),
                addressCounts[candidate.address, default: 0] + (candidate.address == address ? 1 : 0)
            )
        }
        let own = (groupCounts[group, default: 0] + 1, addressCounts[address, default: 0] + 1)
        let most = candidates.values.reduce(own) { $0 < rank($1) ? rank($1) : $0 }
        let crowd = candidates.keys.filter { candidates[$0].map { rank($0) == most } ?? false }
        if let oldest = crowd.first, let since = candidates[oldest]?.since, now - since > limits.patience {
            return .candidate(oldest)
        }
        return own == most ? .newcomer : crowd.last.map(Overflow.candidate) ?? .newcomer
    }

    /// A candidate makes us hold so many bytes now.
    /// - Returns: who must go, as all together make us hold too much: of the group that holds the most who holds the
    ///   most.
    mutating func hold(_ id: ConnectionID, byteCount: Int) -> ConnectionID? {
        guard let before = candidates[id]?.heldByteCount else { return nil }
        candidates[id]?.heldByteCount = byteCount
        heldByteCount += byteCount - before
        guard heldByteCount > limits.byteCount else { return nil }
        var groups: [AddressGroup: Int] = [:]
        for candidate in candidates.values { groups[candidate.group, default: 0] += candidate.heldByteCount }
        func weight(_ id: ConnectionID) -> (Int, Int) {
            candidates[id].map { (groups[$0.group, default: 0], $0.heldByteCount) } ?? (0, 0)
        }
        return candidates.keys.max { weight($0) < weight($1) }
    }

    /// Those who have been candidates for longer than this.
    func candidates(since span: TimeSpan, now: HostTime) -> [ConnectionID] {
        Array(candidates.keys.prefix { id in candidates[id].map { now - $0.since > span } ?? false })
    }
}
