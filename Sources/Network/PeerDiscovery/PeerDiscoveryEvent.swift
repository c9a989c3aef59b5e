/// What discovery found out, in the order in which it did.
public enum PeerDiscoveryEvent: Hashable, Sendable {
    /// A peer's service that was not known.
    case found(DiscoveredPeer)
    /// Something about a known one is different: what it plays, its addresses.
    case changed(DiscoveredPeer)
    /// The last record of a service is gone: it said goodbye, its records ran out, or it goes by another name; that is
    /// found then, not before.
    case lost(PeerService)
    /// Everything that was to be found at once has been: comes about a second after browsing began, and again after
    /// each time that mDNS was unavailable. Who answers later is still found.
    case settled
    /// Our own service is on the network under this name, which may be another than was asked for.
    case advertised(serviceName: String)
    /// Our own service could not be put on the network, and why; browsing goes on, and it is tried again. Said once
    /// until it succeeds.
    case notAdvertised(reason: String)
    /// There is no mDNS for now. Said once for each outage. What was found stays; what is gone afterwards is lost a few
    /// seconds after mDNS is back.
    case unavailable(DiscoveryFailure)
    /// mDNS is there, for the first time or again.
    case available
}

/// Why there is no mDNS. The description is one line that says what to do.
public enum DiscoveryFailure: Error, Hashable, Sendable {
    /// No D-Bus system bus, through which avahi-daemon is spoken to.
    case noSystemBus
    case noDaemon
    case accessDenied
    /// Whatever else libavahi-client reported: the operation and its text.
    case other(String)
}

extension DiscoveryFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSystemBus:
            "no mDNS: no D-Bus system bus is running; install and start dbus and avahi-daemon, or connect by address"
        case .noDaemon:
            "no mDNS: avahi-daemon is not running; install and start it, or connect by address"
        case .accessDenied:
            "no mDNS: avahi-daemon refuses this user; see its D-Bus policy, or connect by address"
        case .other(let text):
            "no mDNS: \(text); restart avahi-daemon, or connect by address"
        }
    }
}
