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
    /// somebody who never belonged as far as is known here, is left out.
    mutating func take(_ removals: [Removal], from author: PeerKey) throws(HouseholdError) {
        guard isJoined(author) else { return }
        let own = removals.filter { removal in
            removal.id.author.peerKey == author && self.removals[removal.id] == nil
                && isJoined(removal.id.removed.peerKey) && removal.isAuthentic(in: id)
        }
        guard !own.isEmpty else { return }
        try change { household in for removal in own { household.insert(removal) } }
    }
}
