import AudioCore
import WireProtocol

/// A peer that can be dialled, and its addresses.
public struct PeerContact: Hashable, Sendable {
    /// The identity of a contact.
    public enum Key: Hashable, Sendable {
        /// Found by mDNS: one running process, as one service announces it. Anybody can announce a service that names
        /// another's process, so a process may have several contradictory contacts.
        case instance(UInt64, service: String = "")
        /// Named by the user.
        case address(NetworkAddress)

        /// The process that mDNS names.
        public var instance: UInt64? { if case .instance(let instance, _) = self { instance } else { nil } }
    }

    public var key: Key
    /// Whose process it is, as mDNS says; nil if nothing says so.
    public var peer: UUIDBytes?
    /// The name it has on the network.
    public var name: String
    /// Empty for a contact that the user named by address.
    public var roles: PeerRoles
    /// Start time in seconds since 1970, by its own wall clock; zero if unknown.
    public var started: Int64
    public var addresses: [NetworkAddress]

    public init(
        key: Key, peer: UUIDBytes? = nil, name: String, roles: PeerRoles, started: Int64 = 0,
        addresses: [NetworkAddress]
    ) {
        self.key = key
        self.peer = peer
        self.name = name
        self.roles = roles
        self.started = started
        self.addresses = addresses
    }

    /// Returns whether it is announced at this address, given as a connection has it.
    func isAt(_ address: String) -> Bool {
        // The scope of a link-local address is written in several ways.
        let host = address.prefix { $0 != "%" }
        return addresses.contains { $0.host.prefix { $0 != "%" } == host }
    }

    /// Returns whether mDNS means this process.
    public func isOf(_ process: PeerProcess) -> Bool {
        key.instance == process.instance && (peer.map { $0 == process.peer } ?? true)
    }

    func sharesAddress(with other: PeerContact) -> Bool { addresses.contains(where: other.addresses.contains) }

    /// Creates the contact of a peer that the user named by address.
    public init(address: NetworkAddress) {
        self.init(key: .address(address), name: "\(address)", roles: [], addresses: [address])
    }
}

/// Identifies one TCP connection for as long as the process lives; never reused.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
    public var number: Int

    public init(_ number: Int) { self.number = number }
}
