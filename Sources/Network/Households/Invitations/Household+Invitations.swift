import SecureChannel

extension Household {
    /// Lets in the machine that shows an invitation, and uses the invitation up.
    ///
    /// It is used up by a removal of its key, so that whoever merges this document lets nobody else in by it. Two
    /// members that do not know of each other's admission can each let one machine in. A machine that is a member
    /// already stays one, and the invitation stays unused.
    /// - Parameters:
    ///   - remoteKey: what the other side of the channel has proved to have.
    ///   - unixTime: in seconds since 1970, by this member's clock.
    ///   - keys: of this member.
    public mutating func admit(
        _ request: InvitationRequest, from remoteKey: PeerKey, over binding: ChannelBinding, at unixTime: Int64,
        by keys: PeerKeyPair
    ) throws(InvitationError) {
        let voucher = request.voucher
        guard voucher.household == id else { throw .otherHousehold }
        guard isMember(keys.key) else { throw .notMember }
        guard request.key.peerKey == remoteKey else { throw .foreignKey }
        guard !isMember(remoteKey) else { return }
        guard !isOut(remoteKey) else { throw .removedKey }
        guard !voucher.isOver(at: unixTime) else { throw .expired }
        guard isMember(voucher.inviter.peerKey) else { throw .inviterIsNoMember }
        guard !isOut(voucher.key.peerKey) else { throw .used }
        // Its use removes the key.
        guard !isMember(voucher.key.peerKey), voucher.key.peerKey != remoteKey else { throw .malformed }
        guard request.isAuthentic(over: binding) else { throw .notAuthentic }
        do throws(HouseholdError) {
            var household = self
            try household.admit(request.key, name: request.name, by: keys)
            try household.remove(voucher.key, by: keys)
            self = household
        } catch {
            throw .household(error)
        }
    }
}
