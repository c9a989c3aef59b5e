import SecureChannel
import WireProtocol

/// Why a connection with a peer is useless.
public enum PeerError: Error, Hashable {
    /// Its bytes lead to no messages.
    case security(ConnectionSecurityError)
    /// Its messages break the protocol.
    case message(WireError)
}

extension PeerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .security(let error): "\(error)"
        case .message(let error): "\(error)"
        }
    }
}
