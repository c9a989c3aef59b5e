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

    init() {}

    init(admissions: [Admission], removals: [Removal]) {
        removed = Set(removals.map(\.id.removed))
        removedPeers = Set(removed.map(\.peerKey))
        let words = Dictionary(grouping: admissions.map(\.id), by: \.member)
        let keptLists = Dictionary(grouping: removals, by: \.id.removed).mapValues { $0.map { Set($0.kept) } }

        var isOut = removed
        func holds(_ word: Admission.ID) -> Bool {
            if !isOut.contains(word.sponsor) { return true }
            guard let lists = keptLists[word.sponsor] else { return false }
            return lists.allSatisfy { $0.contains(word.member.bytes) }
        }
        // An orphan's own word no longer holds, so that others may become orphans.
        var isChanging = true
        while isChanging {
            isChanging = false
            for (member, words) in words where !isOut.contains(member) && !words.contains(where: holds) {
                isOut.insert(member)
                orphans.insert(member)
                isChanging = true
            }
        }
        // Of a point and its negative, which are one peer, both are out if one was removed.
        members = Set(words.keys.filter { !isOut.contains($0) }.map(\.peerKey)).subtracting(removedPeers)
    }

    func isRemoved(_ key: SigningKey) -> Bool { removedPeers.contains(key.peerKey) }
}
