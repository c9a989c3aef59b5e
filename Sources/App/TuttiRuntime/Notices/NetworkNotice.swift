import AudioCore
import ClockExchange
import PeerDiscovery

/// Of ports, names, mDNS and clocks.
public enum NetworkNotice: Hashable, Sendable {
    /// Only a broadcaster answers clock requests at a port of its own.
    case listening(tcpPort: UInt16, clockPort: UInt16?)
    /// Another program has the default port.
    case portInUse(UInt16, instead: UInt16)
    /// Another peer of the network has the name.
    case nameTaken(String, instead: String)
    case mDNSAvailable
    case mDNSUnavailable(DiscoveryFailure)
    /// mDNS does not take our name. The reason is in the daemon's words.
    case notAdvertised(reason: String)
    case noClockExchange(host: String, ClockExchangeError)

    public var level: NoticeLevel {
        switch self {
        case .listening, .mDNSAvailable: .detail
        case .portInUse, .nameTaken: .info
        case .mDNSUnavailable, .notAdvertised, .noClockExchange: .warning
        }
    }
}
