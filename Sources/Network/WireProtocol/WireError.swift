/// What is wrong with the bytes of a peer. After any of these the connection is useless.
public enum WireError: Error, Hashable, Sendable {
    /// The first bytes are not Tutti's: another program, or noise.
    case notTutti
    /// The peer speaks another version of the protocol.
    case incompatibleVersion(UInt8)
    /// The peer wants an encrypted connection, which this version does not support.
    case unsupportedSecurity(UInt8)
    /// A length exceeds its limit.
    case tooLong(messageType: UInt16, byteCount: Int)
    /// A known message breaks its own layout.
    case malformed(messageType: UInt16)
    /// The first message was not a greeting, or a second greeting came.
    case unexpectedMessage(messageType: UInt16)
}

extension WireError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notTutti: "it does not speak Tutti's protocol"
        case .incompatibleVersion(let version):
            "it speaks protocol version \(version), this is version \(Preamble.version): install the same release on both"
        case .unsupportedSecurity: "it asks for an encrypted connection, which this release does not have"
        case .tooLong(let type, let count): "message \(type) of \(count) bytes is over the limit"
        case .malformed(let type): "message \(type) is malformed"
        case .unexpectedMessage(let type): "message \(type) came out of turn"
        }
    }
}
