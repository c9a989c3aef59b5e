import AudioCore

// Anybody who can reach the port can open connections and leave them idle. Until a connection has proved to be of use
// it is a candidate. All candidates share few places and little memory, so those who take much of either take it from
// each other. Places are counted per group of addresses that one owner may have (``AddressGroup``).
//
// When all places are taken, the groups with the most candidates, the newcomer included, lose one: of their addresses
// with the most candidates, the newest. So an honest newcomer from elsewhere gets a place, and many newcomers do not
// displace those about to prove themselves. A candidate that had enough time to prove itself goes before the newest:
// nobody keeps others out by idling.

/// Connections that have not proved to be of use, with limits on their number and on the bytes held for them.
struct CandidatePool {
    private struct Candidate {
        var address: String
        var group: AddressGroup
        var since: HostTime
        var heldByteCount = 0
    }

    /// Which connection loses its place to make room for a newcomer.
    enum Overflow: Hashable {
        case newcomer
        case candidate(ConnectionID)
    }

    private let limits: CandidateLimits
    private var candidates = OrderedDictionary<ConnectionID, Candidate>()
    /// Number of candidates per group and per address.
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

    /// Removes a candidate that has proved to be of use, or is gone.
    mutating func remove(_ id: ConnectionID) {
        guard let candidate = candidates.remove(id) else { return }
        groupCounts.countDown(candidate.group)
        addressCounts.countDown(candidate.address)
        heldByteCount -= candidate.heldByteCount
    }

    /// Returns who makes room when there is none. Ask before adding the newcomer.
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

    /// Sets the number of bytes held for a candidate.
    /// - Returns: the candidate to drop if all together hold too much: the one that holds the most, in the group that
    ///   holds the most.
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

    /// Returns the candidates older than this.
    func candidates(since span: TimeSpan, now: HostTime) -> [ConnectionID] {
        Array(candidates.keys.prefix { id in candidates[id].map { now - $0.since > span } ?? false })
    }
}
