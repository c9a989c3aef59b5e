import AudioCore
import ClockExchange
import Discovery

/// A notice about ports, names, mDNS or clocks.
public enum NetworkNotice: Hashable, Sendable {
    /// Only a broadcaster answers clock requests, at a UDP port.
    case listening(tcpPort: UInt16, clockPort: UInt16?)
    /// Another program has the default port.
    case portInUse(UInt16, instead: UInt16)
    /// Another peer on the network has the name.
    case nameTaken(String, instead: String)
    case mDNSAvailable
    case mDNSUnavailable(DiscoveryFailure)
    /// mDNS refuses our name. The reason is in the daemon's words.
    case notAdvertised(reason: String)
    /// mDNS refuses the page for browsers, which is found by its address all the same.
    case pageNotAdvertised(reason: String)
    case noClockExchange(host: String, ClockExchangeError)
    /// Commands given on this machine do not find this program by themselves, or not those of the directory's group.
    case noLocalSocket(LocalSocketDirectory)

    public var level: NoticeLevel {
        switch self {
        case .listening, .mDNSAvailable: .detail
        case .portInUse, .nameTaken: .info
        case .mDNSUnavailable, .notAdvertised, .pageNotAdvertised, .noClockExchange, .noLocalSocket: .warning
        }
    }
}
