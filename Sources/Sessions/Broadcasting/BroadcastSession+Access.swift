import AudioCore
import Households
import Peering
import SecureChannel
import WireProtocol

/// Who may take part, and as what.
extension BroadcastSession {
    /// What anybody may want of a broadcast.
    private static let rights = [AccessRight.listen, .command]

    /// Takes the key of a connection's other side. Somebody who may have nothing is refused before it has said
    /// anything.
    mutating func authenticate(_ id: ConnectionID, _ key: PeerKey, _ standing: PeerStanding, _ now: HostTime) {
        connections.authenticate(id, key, standing)
        refuseIfDenied(id, now)
    }

    /// Takes what a connection's other side is from now on.
    mutating func note(_ standing: PeerStanding, of id: ConnectionID, _ now: HostTime) {
        connections.note(standing, of: id)
        refuseIfDenied(id, now)
    }

    mutating func follow(_ access: AccessPolicy, _ now: HostTime) {
        configuration.access = access
        // Those that have not introduced themselves yet are judged when they do.
        for link in connections.links where link.connection.isIdentified { refuseIfDenied(link.id, now) }
    }

    private mutating func refuseIfDenied(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], let denial = denial(of: link.connection) else { return }
        refuse(id, Refusal(denial), now)
    }

    /// Returns why a peer may not take part; nil if it may.
    func denial(of connection: PeerConnection) -> AccessDenial? {
        let roles = connection.greeting?.roles
        let wanted: [AccessRight] =
            switch roles {
            case .some(.controller): [.command]
            case .some(let roles) where roles.contains(.listener) || roles == .observer: [.listen]
            default: Self.rights
            }
        return configuration.access.denial(ofAll: wanted, to: connection.standing)
    }

    /// - Throws: if whoever asks may not command.
    func authorize(_ origin: CommandOrigin) throws(CommandRefusal) {
        guard configuration.access.denial(of: .command, to: standing(of: origin)) == nil else { throw .notAllowed }
    }

    /// - Throws: if whoever asks may not set this listener so.
    func authorize(
        _ operation: ListenerOperation, of listener: ListenerLink, from origin: CommandOrigin
    ) throws(CommandRefusal) {
        guard operation.staysBehind else { return }
        if configuration.access.household != nil {
            guard configuration.access.denial(of: .store, to: standing(of: origin)) == nil else { throw .notAllowed }
        } else if !isSameMachine(origin, listener) {
            throw .onlyItself
        }
    }

    private func standing(of origin: CommandOrigin) -> PeerStanding {
        switch origin {
        case .own: .thisMachine
        case .connection(let id): connections[id]?.connection.standing ?? .stranger
        }
    }

    private func isSameMachine(_ origin: CommandOrigin, _ listener: ListenerLink) -> Bool {
        if standing(of: origin) == .thisMachine {
            // What a browser keeps came by this machine's page.
            return listener.connection.standing == .thisMachine || listener.connection.isBrowser
        }
        guard case .connection(let id) = origin, let key = connections[id]?.connection.remoteKey else { return false }
        return listener.connection.remoteKey == key
    }
}

extension ListenerOperation {
    /// Whether a listener's machine keeps it for the next time, beyond its volume.
    fileprivate var staysBehind: Bool {
        switch self {
        case .volume: false
        case .offset, .role: true
        }
    }
}
