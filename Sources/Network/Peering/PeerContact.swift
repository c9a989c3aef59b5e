import WireProtocol
import AudioCore

/// How a peer can be reached that is not connected yet.
public struct PeerContact: Hashable, Sendable {
    /// What tells one contact from another.
    public enum Key: Hashable, Sendable {
        /// Found by mDNS: one running process, as one service announces it. Anybody can announce a service that names
        /// another's process, so a process may have several contacts that contradict each other.
        case instance(UInt64, service: String = "")
        /// Named by the user.
        case address(NetworkAddress)

        /// The process that mDNS names.
        public var instance: UInt64? { if case .instance(let instance, _) = self { instance } else { nil } }
    }

    public var key: Key
    /// The name it goes by on the network.
    public var name: String
    /// Empty for a contact that the user named by address.
    public var roles: PeerRoles
    /// Seconds since 1970 by its own wall clock; zero where unknown.
    public var started: Int64
    /// Whether it says that it is in a broadcast already.
    public var isBusy: Bool
    public var addresses: [NetworkAddress]

    public init(
        key: Key, name: String, roles: PeerRoles, started: Int64 = 0, isBusy: Bool = false,
        addresses: [NetworkAddress]
    ) {
        self.key = key
        self.name = name
        self.roles = roles
        self.started = started
        self.isBusy = isBusy
        self.addresses = addresses
    }

    /// Whether it is said to be at this address, as a connection has it.
    func isAt(_ address: String) -> Bool {
        // The scope of a link-local address is told in more than one way.
        let host = address.prefix { $0 != "%" }
        return addresses.contains { $0.host.prefix { $0 != "%" } == host }
    }

    func sharesAddress(with other: PeerContact) -> Bool { addresses.contains(where: other.addresses.contains) }

    /// The contact of a peer that the user named by address.
    public init(address: NetworkAddress) {
        self.init(key: .address(address), name: "\(address)", roles: [], addresses: [address])
    }
}

/// One TCP connection, for as long as the process lives; never used again.
public struct ConnectionID: Hashable, Sendable, BitwiseCopyable {
    public var number: Int

    public init(_ number: Int) { self.number = number }
}
