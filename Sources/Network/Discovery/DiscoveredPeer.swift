import AudioCore
import WireProtocol

/// The identity of a service: sightings that agree in all of this are the same service, seen over different paths.
///
/// Anybody can announce a service that names another's process: sightings that do not agree are never merged, and one
/// process may have several services. A renamed service is a different one.
public struct PeerService: Hashable, Sendable {
    /// The process's random number.
    public var instance: UInt64
    /// The peer to which the process belongs.
    public var peer: UUIDBytes
    public var name: String
    public var domain: String
    public var hostName: String
    public var port: UInt16

    public init(instance: UInt64, peer: UUIDBytes, name: String, domain: String, hostName: String, port: UInt16) {
        self.instance = instance
        self.peer = peer
        self.name = name
        self.domain = domain
        self.hostName = hostName
        self.port = port
    }
}

/// A peer as mDNS knows it now: what it says of itself, and its addresses.
///
/// A record does not prove that the machine is there: after a loss of power it stays in caches for minutes.
public struct DiscoveredPeer: Hashable, Sendable {
    public var record: PeerRecord
    /// The service that announces it.
    public var service: PeerService
    /// Merged over all interfaces and both protocols; the most promising first.
    public var addresses: [PeerAddress]
    /// Index of the interface on which the first address was found.
    public var interface: UInt32

    public init(
        record: PeerRecord, service: PeerService, addresses: [PeerAddress], interface: UInt32
    ) {
        self.record = record
        self.service = service
        self.addresses = addresses
        self.interface = interface
    }

    /// Its unique name on the network: "Kitchen", or "Kitchen #2" if that was taken.
    public var serviceName: String { service.name }
    /// For example `kitchen.local`.
    public var hostName: String { service.hostName }
    public var port: UInt16 { service.port }
}

/// What this process offers to others.
public struct PeerAdvertisement: Hashable, Sendable {
    public var record: PeerRecord
    /// The TCP port on which it listens.
    public var port: UInt16

    public init(record: PeerRecord, port: UInt16) {
        self.record = record
        self.port = port
    }
}
