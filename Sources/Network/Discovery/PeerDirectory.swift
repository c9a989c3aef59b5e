// Avahi reports a service once for each interface and protocol: a peer on a machine with two networks, both with IPv4
// and IPv6, is seen four times, each time with one address, and its TXT record changes four times. The directory merges
// these sightings if they agree on which service it is: process, peer, name, host and port. The sighting resolved last
// gives the peer's record; all of them together give its addresses.
//
// Records come from anybody. A service that names another's process is listed beside that one's own.
//
// When avahi-daemon goes away, nothing is known to be gone, so peers stay. After its return the earlier sightings
// belong to an older generation: those not seen again a few seconds later are gone.

/// Where, and under which name, avahi saw a service.
package struct ServiceKey: Hashable, Sendable {
    var interface: Int32
    /// Avahi's number of the protocol that carried the record: 0 for IPv4, 1 for IPv6.
    var protocolNumber: Int32
    var name: String
    var domain: String

    package init(interface: Int32, protocolNumber: Int32, name: String, domain: String) {
        self.interface = interface
        self.protocolNumber = protocolNumber
        self.name = name
        self.domain = domain
    }
}

/// The result of resolving a service.
package struct ServiceSighting: Hashable, Sendable {
    var record: PeerRecord
    var hostName: String
    var address: PeerAddress
    var port: UInt16

    package init(record: PeerRecord, hostName: String, address: PeerAddress, port: UInt16) {
        self.record = record
        self.hostName = hostName
        self.address = address
        self.port = port
    }

    fileprivate func service(_ key: ServiceKey) -> PeerService {
        PeerService(
            instance: record.instance, peer: record.id, name: key.name, domain: key.domain, hostName: hostName,
            port: port)
    }
}

/// Every known peer, merged from sightings.
///
/// Changes gather until ``takeEvents()``, so that a peer seen on four paths at once makes one event.
package struct PeerDirectory {
    private struct Entry {
        var sighting: ServiceSighting
        /// Serial number of the sighting: the highest is the newest.
        var order: UInt64
        var generation: UInt64
    }

    package private(set) var peers: [PeerService: DiscoveredPeer] = [:]
    private var entries: [ServiceKey: Entry] = [:]
    private var keys: [PeerService: Set<ServiceKey>] = [:]
    /// Services that changed since the last ``takeEvents()``, in order of the changes.
    private var touched: [PeerService] = []
    private var order: UInt64 = 0
    private var generation: UInt64 = 0

    package init() {}

    var hasChanges: Bool { !touched.isEmpty }

    /// Takes note that the service was announced: if it is known it is still there, even if resolving takes a while.
    package mutating func confirm(_ key: ServiceKey) {
        entries[key]?.generation = generation
    }

    /// Takes a resolved service, for the first time or because something about it changed.
    ///
    /// - Parameter sighting: nil if its record is not a peer's.
    package mutating func resolved(_ key: ServiceKey, _ sighting: ServiceSighting?) {
        removed(key)
        guard let sighting else { return }
        order += 1
        entries[key] = Entry(sighting: sighting, order: order, generation: generation)
        keys[sighting.service(key), default: []].insert(key)
        touch(sighting.service(key))
    }

    /// Removes a service that is gone.
    package mutating func removed(_ key: ServiceKey) {
        guard let service = entries.removeValue(forKey: key)?.sighting.service(key) else { return }
        keys[service]?.remove(key)
        if keys[service]?.isEmpty == true { keys[service] = nil }
        touch(service)
    }

    /// Takes note that contact with avahi was lost: what is known now is unconfirmed until it is seen again.
    package mutating func beginGeneration() { generation += 1 }

    /// Drops what was not confirmed, once everything that exists has been seen.
    package mutating func dropUnconfirmed() {
        for key in entries.filter({ $0.value.generation != generation }).keys { removed(key) }
    }

    /// Returns what changed since the last call; lost peers come first.
    package mutating func takeEvents() -> [PeerDiscoveryEvent] {
        defer { touched.removeAll() }
        let gone = touched.filter { keys[$0] == nil }
        return (gone + touched.filter { keys[$0] != nil }).compactMap { update($0) }
    }

    private mutating func touch(_ service: PeerService) {
        if !touched.contains(service) { touched.append(service) }
    }

    private mutating func update(_ service: PeerService) -> PeerDiscoveryEvent? {
        let before = peers[service]
        let after = merged(service)
        guard before != after else { return nil }
        peers[service] = after
        guard let after else { return .lost(service) }
        return before == nil ? .found(after) : .changed(after)
    }

    private func merged(_ service: PeerService) -> DiscoveredPeer? {
        let sightings = (keys[service] ?? []).compactMap { key in entries[key].map { (key: key, entry: $0) } }
        guard let newest = sightings.max(by: { $0.entry.order < $1.entry.order }) else { return nil }
        let places = sightings.map { (address: $0.entry.sighting.address, interface: $0.key.interface) }
            .sorted {
                ($0.address.rank, $0.interface, $0.address.description)
                    < ($1.address.rank, $1.interface, $1.address.description)
            }
        var addresses: [PeerAddress] = []
        for place in places where !addresses.contains(place.address) {
            guard addresses.count < DiscoveryLimits.addressCount else { break }
            addresses.append(place.address)
        }
        return DiscoveredPeer(
            record: newest.entry.sighting.record, service: service, addresses: addresses,
            interface: UInt32(clamping: places.first?.interface ?? 0))
    }
}
