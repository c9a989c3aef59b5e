import AudioCore

/// Two connections whose other sides say that they are the same process: calls of both sides that crossed, a listener
/// that is back while its former connection is not known to be broken, or somebody who goes by another's name.
///
/// Who stood first holds the identity for as long as it lives, and the newcomer waits. As soon as the holder says
/// something, the newcomer is refused: nobody is displaced by what anybody can say. A holder that is silent is given up
/// after ``PeeringLimits/silenceTimeout``, as always; after ``PeeringLimits/successionTime`` already if the newcomer calls
/// from where the holder is known to be. A genuine newcomer that comes because its connection broke finds a holder that
/// has been silent for about as long as it was itself.
///
/// The broadcaster decides. A listener would take the other of two crossed calls for the first, and then both were refused:
/// it keeps both until it is told, and refuses the newcomer itself only when that stays.
struct IdentityContest: Hashable, Sendable {
    var newcomer: ConnectionID
    var holder: ConnectionID
    /// When the newcomer greeted.
    var began: HostTime
    /// Whether the newcomer calls from where the holder is known to be.
    var isAtHome: Bool
}

/// What becomes of a connection that greeted.
public enum IdentityClaim: Hashable, Sendable {
    case unopposed
    /// Its process is connected already: it waits until that is settled.
    case contested
    /// Another waits already.
    case superfluous
}

extension ConnectionTable {
    /// The peer greeted. See ``IdentityContest``; nobody is displaced by this, but for one that calls from where mDNS
    /// never knew the process by one that calls from where it always did: that one is in ``losers(_:)`` at once.
    public mutating func claim(_ id: ConnectionID, now: HostTime) -> IdentityClaim {
        guard let link = self[id], let process = link.connection.greeting?.instance else { return .superfluous }
        let others = others(of: link, besides: id)
        guard let first = others.first, let holder = self[first] else { return .unopposed }
        guard others.count == 1, contests[process] == nil else { return .superfluous }
        contests[process] = IdentityContest(
            newcomer: id, holder: first, began: now, isAtHome: isAtHome(link, where: holder))
        return .contested
    }

    /// Whether the newcomer calls from the holder's address, or from another of the service that the holder is known by:
    /// what another service says of the process is no proof.
    private func isAtHome(_ newcomer: Link, where holder: Link) -> Bool {
        let address = newcomer.connection.address
        if address == holder.connection.address { return true }
        return holder.contact.flatMap { dialer.contact($0) }?.isAt(address) ?? false
    }

    /// Whether it waits for another connection with its process.
    public func isContested(_ id: ConnectionID) -> Bool {
        self[id]?.connection.greeting.map { contests[$0.instance]?.newcomer == id } ?? false
    }

    /// Connections that lost, and must be told and removed.
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
        if isUsurped(holder, by: newcomer) { return contest.holder }
        if hasSpoken { return contest.newcomer }
        return contest.isAtHome && now - lastReceived > PeeringLimits.successionTime ? contest.holder : nil
    }

    /// Whether all that mDNS says of the process is that it is where the newcomer calls from, and not where the holder
    /// does, and was so before the holder came. Whom the user named by address is beyond that.
    private func isUsurped(_ holder: Link, by newcomer: Link) -> Bool {
        if case .address = holder.contact { return false }
        let contacts = newcomer.connection.greeting.map { dialer.contacts(of: $0.instance) } ?? []
        return !contacts.isEmpty
            && contacts.allSatisfy { contact in
                contact.isAt(newcomer.connection.address) && !contact.isAt(holder.connection.address)
                    && dialer.knownSince(contact.key).map { $0 <= holder.connection.liveness.opened } ?? false
            }
    }
}
