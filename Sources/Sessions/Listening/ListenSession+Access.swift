import AudioCore
import Households
import Peering
import SecureChannel
import WireProtocol

/// Which broadcasters may feed this listener.
extension ListenSession {
    /// Takes the key of a connection's other side. Somebody who may not feed this listener is refused before it has
    /// said anything.
    mutating func authenticate(_ id: ConnectionID, _ key: PeerKey, _ standing: PeerStanding, _ now: HostTime) {
        connections.authenticate(id, key, standing)
        refuseIfDenied(id, now)
    }

    /// Takes what a connection's other side is from now on.
    mutating func note(_ standing: PeerStanding, of id: ConnectionID, _ now: HostTime) {
        connections.note(standing, of: id)
        if isMember(of: id) { change { $0.note(standing) } }
        refuseIfDenied(id, now)
    }

    /// - Parameter standing: what the household says of the broadcaster; nil if nothing.
    mutating func follow(_ access: AccessPolicy, broadcaster standing: PeerStanding?, _ now: HostTime) {
        configuration.access = access
        // Those that have not introduced themselves yet are judged when they do.
        for id in connections.ids where connections[id]?.connection.isIdentified == true { refuseIfDenied(id, now) }
        // What it holds of somebody who has left, and may not feed it any more, is not heard, either.
        guard let reception, reception.left != nil else { return }
        if access.denial(of: .broadcast, to: standing ?? reception.standing) != nil { endReception(now) }
    }

    private mutating func refuseIfDenied(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id],
            let denial = configuration.access.denial(of: .broadcast, to: link.connection.standing)
        else { return }
        if link.connection.direction == .dialed, configuration.address != nil {
            tellOnce(.notOfHousehold(link.connection.name, denial), from: link.connection.address)
        }
        let isHeard = isMember(of: id)
        refuse(id, Refusal(denial), now)
        // What it holds of somebody who may not feed it is not heard, either.
        if isHeard { endReception(now) }
    }

    /// Returns whether this listener does what a broadcaster passes on to it. What stays behind needs the right to
    /// store, unless somebody at this machine asked for it.
    mutating func obeys(_ command: Command, _ operation: ListenerOperation) -> Bool {
        if case .volume = operation { return true }
        guard case .member(let id) = reception?.stage, let link = connections[id] else { return false }
        return ownCommands.take(command)
            || configuration.access.denial(of: .store, to: link.connection.standing) == nil
    }
}
