import AudioCore

/// A peer as mDNS knows it now: what it says of itself, and where it can be reached.
///
/// That a record is there does not mean that the machine is: one that lost power stays in caches for minutes.
public struct DiscoveredPeer: Hashable, Sendable {
    public var record: PeerRecord
    /// The name it goes by on the network, unique there: "Kitchen", or "Kitchen #2" where that was taken.
    public var serviceName: String
    /// For example `kitchen.local`.
    public var hostName: String
    /// Merged over all interfaces and both protocols; the most promising first.
    public var addresses: [PeerAddress]
    public var port: UInt16
    /// Index of the interface that the first address was found on.
    public var interface: UInt32

    public init(
        record: PeerRecord, serviceName: String, hostName: String, addresses: [PeerAddress], port: UInt16,
        interface: UInt32
    ) {
        self.record = record
        self.serviceName = serviceName
        self.hostName = hostName
        self.addresses = addresses
        self.port = port
        self.interface = interface
    }
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
