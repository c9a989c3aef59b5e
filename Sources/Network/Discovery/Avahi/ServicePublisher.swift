import AudioCore
import WireProtocol

// A service is committed, then probed on the network for most of a second (another host may claim the name), then
// established. If the name is taken, the next one ("Name #2") is tried from the start. A name found free is kept for as
// long as the wanted one stays the same, even over restarts of the daemon.

/// Keeps what is announced equal to what is wanted. Used by the discovery thread only.
struct ServicePublisher {
    private var wanted: PeerAdvertisement?
    /// What the daemon was given; nil if nothing.
    private var published: PeerAdvertisement?
    private var serviceName = ""
    private var isEstablished = false
    private var reportedName: String?

    /// Sets what to announce; ``publish(on:)`` does so.
    mutating func want(_ advertisement: PeerAdvertisement?) {
        guard wanted != advertisement else { return }
        if wanted?.record.name != advertisement?.record.name {
            let name = advertisement?.record.name ?? ""
            serviceName = String(displaying: name, maximumByteCount: WireLimits.peerNameByteCount)
            if serviceName.isEmpty { serviceName = "Tutti" }
        }
        wanted = advertisement
    }

    /// Forgets what was published: the daemon is gone, or accepts nothing for now.
    mutating func forget() {
        published = nil
        isEstablished = false
        reportedName = nil
    }

    /// Gives the daemon what is wanted, if it does not have it already.
    mutating func publish(on connection: AvahiConnection) throws(AvahiFailure) {
        guard let wanted else { return try withdraw(from: connection) }
        guard published != wanted, !isProbed(wanted) else { return }
        if !update(to: wanted, on: connection) { try register(wanted, on: connection) }
        published = wanted
    }

    /// Takes the next name, because another host has this one.
    mutating func rename(on connection: AvahiConnection) throws(AvahiFailure) {
        serviceName = alternativeServiceName(to: serviceName)
        forget()
        try publish(on: connection)
    }

    /// Notes that the name is ours, and returns it if it is new. Publish again afterwards: the wish may have changed.
    mutating func established() -> String? {
        isEstablished = published != nil
        guard isEstablished, reportedName != serviceName else { return nil }
        reportedName = serviceName
        return serviceName
    }

    /// Returns whether only the TXT record is to change while the name is probed. If it changed now, an earlier probe
    /// of ours, heard again, would look like another host's claim to the name (RFC 6762, section 8.2).
    private func isProbed(_ wanted: PeerAdvertisement) -> Bool {
        !isEstablished && published?.port == wanted.port && published?.record.name == wanted.record.name
    }

    /// Returns whether changing the TXT record in place was enough.
    private func update(to wanted: PeerAdvertisement, on connection: AvahiConnection) -> Bool {
        guard let published, published.port == wanted.port, published.record.name == wanted.record.name else {
            return false
        }
        return (try? connection.update(name: serviceName, txt: wanted.record.txtStrings)) != nil
    }

    private mutating func register(_ wanted: PeerAdvertisement, on connection: AvahiConnection) throws(AvahiFailure) {
        forget()
        for attempt in 1... {
            do {
                return try connection.publish(name: serviceName, port: wanted.port, txt: wanted.record.txtStrings)
            } catch {
                guard error.isCollision, attempt < DiscoveryLimits.renameCount else { throw error }
                serviceName = alternativeServiceName(to: serviceName)
            }
        }
    }

    private mutating func withdraw(from connection: AvahiConnection) throws(AvahiFailure) {
        guard published != nil else { return }
        forget()
        try connection.withdraw()
    }
}
