import AudioCore
import WireProtocol

// A service is committed, then probed on the network for most of a second (another host may claim the name), then
// established. If the name is taken, the next one ("Name #2") is tried from the start. A name found free is kept, even
// over restarts of the daemon. What is announced never changes: a record that changed while its name is probed would
// look like another host's claim to it, since an earlier probe of ours may be heard again (RFC 6762, section 8.2).

/// Keeps a service announced. Used by the discovery thread only.
struct ServicePublisher {
    /// Nil for none.
    private let wanted: PeerAdvertisement?
    private var serviceName: String
    /// Whether the daemon has it.
    private var isPublished = false
    private var reportedName: String?

    init(_ wanted: PeerAdvertisement?) {
        self.wanted = wanted
        let name = wanted?.record.name ?? ""
        serviceName = String(displaying: name, maximumByteCount: WireLimits.peerNameByteCount)
        if serviceName.isEmpty { serviceName = "Tutti" }
    }

    /// Forgets what was published: the daemon is gone, or accepts nothing for now.
    mutating func forget() {
        isPublished = false
        reportedName = nil
    }

    /// Gives the daemon what is wanted, if it does not have it already.
    mutating func publish(on connection: AvahiConnection) throws(AvahiFailure) {
        guard let wanted, !isPublished else { return }
        try register(wanted, on: connection)
        isPublished = true
    }

    /// Takes the next name, because another host has this one.
    mutating func rename(on connection: AvahiConnection) throws(AvahiFailure) {
        serviceName = alternativeServiceName(to: serviceName)
        forget()
        try publish(on: connection)
    }

    /// Notes that the name is ours, and returns it if it is new.
    mutating func established() -> String? {
        guard isPublished, reportedName != serviceName else { return nil }
        reportedName = serviceName
        return serviceName
    }

    private mutating func register(_ wanted: PeerAdvertisement, on connection: AvahiConnection) throws(AvahiFailure) {
        for attempt in 1... {
            do {
                return try connection.publish(name: serviceName, port: wanted.port, txt: wanted.record.txtStrings)
            } catch {
                guard error.isCollision, attempt < DiscoveryLimits.renameCount else { throw error }
                serviceName = alternativeServiceName(to: serviceName)
            }
        }
    }
}
