import AudioCore

/// Two connections whose other sides say that they are the same process: calls of both sides that crossed, a listener
/// that is back while its former connection is not known to be broken, or somebody who goes by another's name.
///
/// Who stood first holds the identity for as long as it lives, and the newcomer waits. As soon as the holder says
/// something, the newcomer is refused: nobody is displaced by what anybody can say. A holder that is silent is given up
/// after ``PeeringLimits/silenceTimeout``, as always; after ``PeeringLimits/successionTime`` already if the newcomer calls
/// from where the process is known to be. A genuine newcomer that comes because its connection broke finds a holder that
/// has been silent for about as long as it was itself.
///
/// The broadcaster decides. A listener would take the other of two crossed calls for the first, and then both were refused:
/// it keeps both until it is told, and refuses the newcomer itself only when that stays.
struct IdentityContest: Hashable, Sendable {
    var newcomer: ConnectionID
    var holder: ConnectionID
    /// When the newcomer greeted.
    var began: HostTime
    /// Whether the newcomer calls from the holder's address, or from one at which mDNS knows the process.
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
    /// does not know the process by one that calls from where it does: that one is in ``losers(_:)`` at once.
    public mutating func claim(_ id: ConnectionID, now: HostTime) -> IdentityClaim {
        guard let link = self[id] else { return .superfluous }
        let others = others(of: link, besides: id)
        guard let holder = others.first else { return .unopposed }
        guard others.count == 1 else { return .superfluous }
        let isAtHome = isKnownAddress(of: link) || self[holder]?.connection.address == link.connection.address
        contests.append(IdentityContest(newcomer: id, holder: holder, began: now, isAtHome: isAtHome))
        return .contested
    }

    /// Whether mDNS knows the process at this connection's address.
    private func isKnownAddress(of link: Link) -> Bool {
        guard let instance = link.connection.greeting?.instance,
            let contact = dialer.contact(.instance(instance))
        else { return false }
        // The scope of a link-local address is told in more than one way.
        let host = link.connection.address.prefix { $0 != "%" }
        return contact.addresses.contains { $0.host.prefix { $0 != "%" } == host }
    }

    /// Whether it waits for another connection with its process.
    public func isContested(_ id: ConnectionID) -> Bool { contests.contains { $0.newcomer == id } }

    /// Whether a connection with this process stands.
    public func holds(_ instance: UInt64) -> Bool {
        links.contains { $0.connection.greeting?.instance == instance }
    }

    /// Connections that lost, and must be told and removed.
    public func losers(_ now: HostTime) -> [ConnectionID] {
        contests.compactMap { contest in
            guard let holder = self[contest.holder], let newcomer = self[contest.newcomer] else { return nil }
            let lastHeard = holder.connection.liveness.lastHeard
            let hasSpoken = lastHeard > contest.began
            guard role.contains(.listener) else {
                return hasSpoken && now - contest.began > PeeringLimits.contestTime ? contest.newcomer : nil
            }
            if isUsurped(holder, by: newcomer) { return contest.holder }
            if hasSpoken { return contest.newcomer }
            return contest.isAtHome && now - lastHeard > PeeringLimits.successionTime ? contest.holder : nil
        }
    }

    /// Whether the newcomer calls from where mDNS knows the process, and the holder does not.
    private func isUsurped(_ holder: Link, by newcomer: Link) -> Bool {
        isKnownAddress(of: newcomer) && !isKnownAddress(of: holder)
    }
}
