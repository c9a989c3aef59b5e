// Avahi reports services once for each interface and protocol: a peer on a machine with two networks, both with IPv4
// and IPv6, is seen four times, each time with one address, and its TXT record changes four times. The directory merges
// these sightings by the instance id that is in the record. The sighting that was resolved last says what the peer is;
// all of them together say where it is.
//
// When avahi-daemon goes away nothing is known to be gone, so peers stay. After its return the sightings of before are
// those of an older generation: what was not seen again a few seconds later is gone.

/// Where and under which name avahi saw a service.
package struct ServiceKey: Hashable, Sendable {
    var interface: Int32
    /// Avahi's number of the protocol that the record came by: 0 for IPv4, 1 for IPv6.
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

/// What resolving a service gave.
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
}

/// Every peer that is known, merged from sightings.
///
/// Changes gather until ``takeEvents()``, so that a peer that is seen on four paths at once makes one event.
package struct PeerDirectory {
    private struct Entry {
        var sighting: ServiceSighting
        /// Counts up with every sighting: the highest is the newest.
        var order: UInt64
        var generation: UInt64
    }

    package private(set) var peers: [UInt64: DiscoveredPeer] = [:]
    private var entries: [ServiceKey: Entry] = [:]
    private var keys: [UInt64: Set<ServiceKey>] = [:]
    /// Instances that something happened to since the last ``takeEvents()``, in the order in which it did.
    private var touched: [UInt64] = []
    private var order: UInt64 = 0
    private var generation: UInt64 = 0

    package init() {}

    var hasNews: Bool { !touched.isEmpty }

    /// The service was announced: if it is known it is still there, even if resolving takes a while.
    package mutating func sawAgain(_ key: ServiceKey) {
        entries[key]?.generation = generation
    }

    /// The service was resolved, for the first time or because something about it changed.
    ///
    /// - Parameter sighting: nil where its record is not a peer's.
    package mutating func resolved(_ key: ServiceKey, _ sighting: ServiceSighting?) {
        removed(key)
        guard let sighting else { return }
        order += 1
        entries[key] = Entry(sighting: sighting, order: order, generation: generation)
        keys[sighting.record.instance, default: []].insert(key)
        touch(sighting.record.instance)
    }

    /// The service is gone.
    package mutating func removed(_ key: ServiceKey) {
        guard let instance = entries.removeValue(forKey: key)?.sighting.record.instance else { return }
        keys[instance]?.remove(key)
        if keys[instance]?.isEmpty == true { keys[instance] = nil }
        touch(instance)
    }

    /// Contact with avahi was lost: what is known from now on is hearsay.
    package mutating func beginGeneration() { generation += 1 }

    /// All that is there has been seen: hearsay that was not confirmed is dropped.
    package mutating func dropHearsay() {
        for key in entries.filter({ $0.value.generation != generation }).keys { removed(key) }
    }

    /// What became different since the last time.
    package mutating func takeEvents() -> [PeerDiscoveryEvent] {
        defer { touched.removeAll() }
        return touched.compactMap { update(instance: $0) }
    }

    private mutating func touch(_ instance: UInt64) {
        if !touched.contains(instance) { touched.append(instance) }
    }

    private mutating func update(instance: UInt64) -> PeerDiscoveryEvent? {
        let before = peers[instance]
        let after = merged(instance: instance)
        guard before != after else { return nil }
        peers[instance] = after
        guard let after else { return .lost(instance: instance) }
        return before == nil ? .found(after) : .changed(after)
    }

    private func merged(instance: UInt64) -> DiscoveredPeer? {
        let sightings = (keys[instance] ?? []).compactMap { key in entries[key].map { (key: key, entry: $0) } }
        guard let newest = sightings.max(by: { $0.entry.order < $1.entry.order }) else { return nil }
        let places = sightings.filter { $0.entry.sighting.port == newest.entry.sighting.port }
            .map { (address: $0.entry.sighting.address, interface: $0.key.interface) }
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
            record: newest.entry.sighting.record, serviceName: newest.key.name,
            hostName: newest.entry.sighting.hostName, addresses: addresses, port: newest.entry.sighting.port,
            interface: UInt32(clamping: places.first?.interface ?? 0))
    }
}
