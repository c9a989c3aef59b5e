/// What discovery found, in order.
public enum PeerDiscoveryEvent: Hashable, Sendable {
    /// A new service of a peer.
    case found(DiscoveredPeer)
    /// Something about a known service changed: its addresses, its record.
    case changed(DiscoveredPeer)
    /// The last record of a service is gone: it said goodbye, its records expired, or it has another name now; that one
    /// is found after this, not before.
    case lost(PeerService)
    /// Everything that answers at once has been found: comes about a second after browsing began, and again after each
    /// outage of mDNS. Later answers are still found.
    case settled
    /// Our own service is on the network under this name, which may differ from the one asked for.
    case advertised(serviceName: String)
    /// Our own service could not be announced, and why; browsing continues, and so do attempts. Reported once until one
    /// succeeds.
    case notAdvertised(reason: String)
    /// The page is on the network under this name, which may differ from the one asked for.
    case pageAdvertised(serviceName: String)
    /// The page could not be announced, and why; attempts continue. Reported once until one succeeds.
    case pageNotAdvertised(reason: String)
    /// There is no mDNS for now. Reported once per outage. What was found stays; what is gone by then is lost a few
    /// seconds after mDNS is back.
    case unavailable(DiscoveryFailure)
    /// mDNS is available, for the first time or again.
    case available
}

/// Why there is no mDNS. The description is one line that says what to do.
public enum DiscoveryFailure: Error, Hashable, Sendable {
    /// There is no D-Bus system bus, over which avahi-daemon is reached.
    case noSystemBus
    case noDaemon
    case accessDenied
    /// Anything else that libavahi-client reported: the operation and its text.
    case other(String)
}

extension DiscoveryFailure {
    /// What is wrong, in the middle of a sentence.
    public var cause: String {
        switch self {
        case .noSystemBus: "no D-Bus system bus is running"
        case .noDaemon: "avahi-daemon is not running"
        case .accessDenied: "avahi-daemon refuses this user"
        case .other(let text): text
        }
    }
}

extension DiscoveryFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSystemBus:
            "no mDNS: \(cause); install and start dbus and avahi-daemon, or connect by address"
        case .noDaemon:
            "no mDNS: \(cause); install and start it, or connect by address"
        case .accessDenied:
            "no mDNS: \(cause); see its D-Bus policy, or connect by address"
        case .other:
            "no mDNS: \(cause); restart avahi-daemon, or connect by address"
        }
    }
}
