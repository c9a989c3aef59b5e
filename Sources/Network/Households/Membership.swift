import Cryptography
import SecureChannel

/// Who is in and who is out, as a set of statements says.
struct Membership: Hashable, Sendable {
    private(set) var members: Set<PeerKey> = []
    /// Keys that a statement removes.
    private(set) var removed: Set<SigningKey> = []
    /// Keys that are out although nobody removed them: no word for them holds any longer.
    private(set) var orphans: Set<SigningKey> = []

    /// Everybody who was let in, or removed, and does not belong to the household.
    var out: Set<SigningKey> { removed.union(orphans) }

    private var removedPeers: Set<PeerKey> = []
    /// Those whom a chain of words that hold joins to the founder: members, and others that would be but for their own
    /// removal.
    private var joined: Set<PeerKey> = []

    init() {}

    /// Of a point and its negative, which are one peer, both are in or out.
    init(founder: SigningKey, admissions: [Admission], removals: [Removal]) {
        removed = Set(removals.map(\.id.removed))
        removedPeers = Set(removed.map(\.peerKey))
        let words = Dictionary(grouping: admissions.map(\.id), by: \.member.peerKey)
        let keptLists = Dictionary(grouping: removals, by: \.id.removed.peerKey).mapValues { $0.map { Set($0.kept) } }

        // Grows from the founder's word for itself: so nobody is in by his own word, or by those of a ring of others.
        var joined: Set<PeerKey> = []
        func holds(_ word: Admission.ID) -> Bool {
            if word.member == founder, word.sponsor == founder { return true }
            guard joined.contains(word.sponsor.peerKey) else { return false }
            return keptLists[word.sponsor.peerKey, default: []].allSatisfy { $0.contains(word.member.bytes) }
        }
        var isChanging = true
        while isChanging {
            isChanging = false
            for (peer, words) in words where !joined.contains(peer) && words.contains(where: holds) {
                joined.insert(peer)
                isChanging = true
            }
        }
        self.joined = joined
        members = joined.subtracting(removedPeers)
        orphans = Set(admissions.map(\.id.member).filter { !joined.contains($0.peerKey) })
            .filter { [removedPeers] in !removedPeers.contains($0.peerKey) }
    }

    /// Whether a key belongs, or did until it was removed.
    func isJoined(_ key: PeerKey) -> Bool { joined.contains(key) }

    func isRemoved(_ key: SigningKey) -> Bool { removedPeers.contains(key.peerKey) }
}
