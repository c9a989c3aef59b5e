import WireProtocol
import AudioCore

/// What tells one service from another: two sightings that agree in all of this are of one service, seen on different
/// ways.
///
/// Anybody can announce a service that names another's process: sightings that do not agree are never merged, and one
/// process may have several services. A service that takes another name is another.
public struct PeerService: Hashable, Sendable {
    /// The process.
    public var instance: UInt64
    /// Whose process it is.
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

/// A peer as mDNS knows it now: what it says of itself, and where it can be reached.
///
/// That a record is there does not mean that the machine is: one that lost power stays in caches for minutes.
public struct DiscoveredPeer: Hashable, Sendable {
    public var record: PeerRecord
    /// As which it is announced.
    public var service: PeerService
    /// Merged over all interfaces and both protocols; the most promising first.
    public var addresses: [PeerAddress]
    /// Index of the interface that the first address was found on.
    public var interface: UInt32

    public init(
        record: PeerRecord, service: PeerService, addresses: [PeerAddress], interface: UInt32
    ) {
        self.record = record
        self.service = service
        self.addresses = addresses
        self.interface = interface
    }

    /// The name it goes by on the network, unique there: "Kitchen", or "Kitchen #2" where that was taken.
    public var serviceName: String { service.name }
    /// For example `kitchen.local`.
    public var hostName: String { service.hostName }
    public var port: UInt16 { service.port }
}

/// What this process offers to others.
public struct PeerAdvertisement: Hashable, Sendable {
    public var record: PeerRecord
    /// The TCP port that is listened on.
    public var port: UInt16

    public init(record: PeerRecord, port: UInt16) {
        self.record = record
        self.port = port
    }
}
