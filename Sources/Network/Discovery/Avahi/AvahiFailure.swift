import CAvahi

/// An error of libavahi-client: the operation, its code and its text.
struct AvahiFailure: Error {
    var operation: StaticString
    var code: Int

    var isCollision: Bool { code == AVAHI_ERR_COLLISION }

    /// Whether the daemon or the bus is gone: the client's state says so as well.
    var isDisconnection: Bool { code == AVAHI_ERR_DISCONNECTED || code == AVAHI_ERR_NO_DAEMON }

    var text: String { "\(operation): \(String(cString: avahi_strerror(Int32(clamping: code))))" }

    /// Why there is no connection at all. The client waits for a missing daemon, so it is the bus that is missing.
    var asConnectFailure: DiscoveryFailure {
        isDisconnection || code == AVAHI_ERR_DBUS_ERROR ? .noSystemBus : asDiscoveryFailure
    }

    var asDiscoveryFailure: DiscoveryFailure {
        switch code {
        case AVAHI_ERR_NO_DAEMON, AVAHI_ERR_DISCONNECTED: .noDaemon
        case AVAHI_ERR_ACCESS_DENIED: .accessDenied
        default: .other(text)
        }
    }
}
