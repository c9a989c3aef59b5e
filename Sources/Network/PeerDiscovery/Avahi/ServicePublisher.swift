import AudioCore

// committed, probed on the network for most of a second (another host may claim the name), established. A name that is
// taken is replaced by the next ("Name #2") and everything begins again. The name that was found free is kept for as
// long as the wanted one stays the same, also over restarts of the daemon.

/// Keeps what is on the network equal to what is wanted. Used by the discovery thread only.
struct ServicePublisher {
    private var wanted: PeerAdvertisement?
    /// What the daemon was given; nil while nothing is.
    private var published: PeerAdvertisement?
    private var serviceName = ""
    private var isEstablished = false
    private var reportedName: String?

    /// Sets what is to be on the network; ``publish(on:)`` puts it there.
    mutating func want(_ advertisement: PeerAdvertisement?) {
        guard wanted != advertisement else { return }
        if wanted?.record.name != advertisement?.record.name {
            let name = advertisement?.record.name ?? ""
            serviceName = String(displaying: name, maximumByteCount: Limits.peerNameByteCount)
            if serviceName.isEmpty { serviceName = "Tutti" }
        }
        wanted = advertisement
    }

    /// The daemon is gone, or takes nothing at the moment, and with it what was published.
    mutating func forget() {
        published = nil
        isEstablished = false
        reportedName = nil
    }

    /// Makes the daemon hold what is wanted; does nothing where it does already.
    mutating func publish(on connection: AvahiConnection) throws(AvahiFailure) {
        guard let wanted else { return try withdraw(from: connection) }
        guard published != wanted, !isProbed(wanted) else { return }
        if !update(to: wanted, on: connection) { try register(wanted, on: connection) }
        published = wanted
    }

    /// Another host has the name: takes the next one.
    mutating func rename(on connection: AvahiConnection) throws(AvahiFailure) {
        serviceName = alternativeServiceName(to: serviceName)
        forget()
        try publish(on: connection)
    }

    /// The name is ours. Returns it when it is news. What was wanted meanwhile must be published then.
    mutating func established() -> String? {
        isEstablished = published != nil
        guard isEstablished, reportedName != serviceName else { return nil }
        reportedName = serviceName
        return serviceName
    }

    /// Whether only a TXT record is wanted otherwise while the name is probed. Changed now, a probe of ours from before
    /// that is heard again would be another host's that claims the name (RFC 6762, section 8.2).
    private func isProbed(_ wanted: PeerAdvertisement) -> Bool {
        !isEstablished && published?.port == wanted.port && published?.record.name == wanted.record.name
    }

    /// Whether it was enough to change the TXT record in place.
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
