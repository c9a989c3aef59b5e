/// What is wrong with the messages of a peer. After any of these the connection is useless.
public enum WireError: Error, Hashable, Sendable {
    /// A length exceeds its limit.
    case tooLong(messageType: UInt16, byteCount: Int)
    /// A known message breaks its own layout.
    case malformed(messageType: UInt16)
    /// The first message was not a greeting, or a second greeting came.
    case unexpectedMessage(messageType: UInt16)
    /// The UUID in its greeting is not that of the key that it has proved to have; or a browser's instance is another
    /// than the page's.
    case foreignIdentity
}

extension WireError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let type, let count): "message \(type) of \(count) bytes is over the limit"
        case .malformed(let type): "message \(type) is malformed"
        case .unexpectedMessage(let type): "message \(type) came out of turn"
        case .foreignIdentity: "it greets with the identity of another peer"
        }
    }
}
