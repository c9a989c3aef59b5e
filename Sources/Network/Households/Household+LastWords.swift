import SecureChannel

// Two removals at once both hold, even if each removes the author of the other. Whoever hears of one first must still
// take the other, which comes from a machine that is removed by then. So a machine says in its introduction, before
// anything is decided about it, whom it removed itself; and that counts from a member, and for a short time after a
// member has heard that the machine is out. For ever it must not count: nobody can tell a word of before from one that
// a stolen machine gives now, and that could remove everybody.

extension Household {
    /// Returns a member's removals of machines, in ascending order. Used invitations are none.
    func removals(by author: PeerKey) -> [Removal] {
        removals.values
            .filter { $0.id.author.peerKey == author && isJoined($0.id.removed.peerKey) }
            .sorted { $0.id < $1.id }
    }

    /// Takes whom a machine removed, whether or not it was removed itself. What is not its own word, or is against
    /// somebody that never belonged, is left out.
    /// - Returns: whether the document has all of them now.
    mutating func take(_ removals: [Removal], from author: PeerKey) throws(HouseholdError) -> Bool {
        let own = removals.filter { $0.id.author.peerKey == author && !has($0) }
        guard isJoined(author), !own.isEmpty else { return removals.allSatisfy(has) }
        let valid = own.filter { isJoined($0.id.removed.peerKey) && $0.isAuthentic(in: id) }
        try change { household in for removal in valid { household.insert(removal) } }
        return removals.allSatisfy(has)
    }

    private func has(_ removal: Removal) -> Bool { removals[removal.id] != nil }
}
