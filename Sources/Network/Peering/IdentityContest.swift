import AudioCore

/// Two connections whose other sides are the same process of the same peer: calls of both sides that crossed, a
/// listener that is back before its old connection is known to be broken, or somebody who has a copy of its key.
///
/// The first holds the identity for as long as it lives, and the newcomer waits. As soon as the holder says something,
/// the newcomer is refused. A silent holder is given up after ``PeeringLimits/silenceTimeout``, as always, or already
/// after ``PeeringLimits/successionTime`` if the newcomer calls from a known address of the holder. A genuine newcomer,
/// back because its connection broke, finds a holder that has been silent for about as long as itself.
///
/// A holder is displaced while it lives in one case only: mDNS knows the process at the newcomer's address alone, and
/// did so before the holder came.
///
/// The broadcaster decides. A listener might take the other of two crossed calls for the first, and then both would be
/// refused: so it keeps both until it is told, and refuses the newcomer itself only if both remain.
struct IdentityContest: Hashable, Sendable {
    var newcomer: ConnectionID
    var holder: ConnectionID
    /// When the newcomer greeted.
    var began: HostTime
    /// Whether the newcomer calls from a known address of the holder.
    var isFromKnownAddress: Bool
}

/// What happens to a connection that greeted.
public enum IdentityClaim: Hashable, Sendable {
    case unopposed
    /// Its process is already connected: it waits until that is settled.
    case contested
    /// Another one is already waiting.
    case superfluous
}

extension ConnectionTable {
    /// Takes note that the peer greeted. See ``IdentityContest``. This displaces nobody, with one exception: a holder
    /// from where mDNS never knew the process loses to a newcomer from where mDNS always did, and is in ``losers(_:)``
    /// at once.
    public mutating func claim(_ id: ConnectionID, now: HostTime) -> IdentityClaim {
        guard let link = self[id], let process = link.connection.greeting?.process else { return .superfluous }
        let others = others(of: link, besides: id)
        guard let first = others.first, let holder = self[first] else { return .unopposed }
        guard others.count == 1, contests[process] == nil else { return .superfluous }
        contests[process] = IdentityContest(
            newcomer: id, holder: first, began: now, isFromKnownAddress: isFromKnownAddress(link, where: holder))
        return .contested
    }

    /// Returns whether the newcomer calls from the holder's address, or from another address of the holder's service:
    /// what another service says of the process is no proof.
    private func isFromKnownAddress(_ newcomer: Link, where holder: Link) -> Bool {
        let address = newcomer.connection.address
        if address == holder.connection.address { return true }
        return holder.contact.flatMap { dialer.contact($0) }?.isAt(address) ?? false
    }

    /// Returns whether it waits for another connection with its process.
    public func isContested(_ id: ConnectionID) -> Bool {
        self[id]?.connection.greeting.map { contests[$0.process]?.newcomer == id } ?? false
    }

    /// Returns the connections that lost, and must be told and removed.
    public func losers(_ now: HostTime) -> [ConnectionID] {
        contests.values.compactMap { loser(of: $0, now) }.sorted { $0.number < $1.number }
    }

    private func loser(of contest: IdentityContest, _ now: HostTime) -> ConnectionID? {
        guard let holder = self[contest.holder], let newcomer = self[contest.newcomer] else { return nil }
        let lastReceived = holder.connection.liveness.lastReceived
        let hasSpoken = lastReceived > contest.began
        guard role.contains(.listener) else {
            return hasSpoken && now - contest.began > PeeringLimits.contestTime ? contest.newcomer : nil
        }
        if isContradictedByMDNS(holder, by: newcomer) { return contest.holder }
        if hasSpoken { return contest.newcomer }
        return contest.isFromKnownAddress && now - lastReceived > PeeringLimits.successionTime ? contest.holder : nil
    }

    /// Returns whether mDNS only knows the process at the newcomer's address, and not at the holder's, and did so
    /// before the holder came. A holder that the user named by address is exempt.
    private func isContradictedByMDNS(_ holder: Link, by newcomer: Link) -> Bool {
        if case .address = holder.contact { return false }
        let contacts = newcomer.connection.greeting.map { dialer.contacts(of: $0.process) } ?? []
        return !contacts.isEmpty
            && contacts.allSatisfy { contact in
                contact.isAt(newcomer.connection.address) && !contact.isAt(holder.connection.address)
                    && dialer.knownSince(contact.key).map { $0 <= holder.connection.liveness.opened } ?? false
            }
    }
}
