import WireProtocol

/// Why the bytes of a connection lead to no messages. After any of these the connection is useless, and the other side
/// is told nothing.
public enum ConnectionSecurityError: Error, Hashable, Sendable {
    case preamble(PreambleError)
    case handshake(HandshakeError)
    case record(RecordError)
    /// The other side's introduction is too long.
    case introduction

    /// Whether the connection ended in the middle of something, and nothing is wrong with what came before.
    public var isEarlyEnd: Bool {
        switch self {
        case .handshake(.truncated), .record(.truncated): true
        case .preamble, .handshake, .record, .introduction: false
        }
    }
}

extension ConnectionSecurityError: CustomStringConvertible {
    /// For people, one line that says what to do, where anything can be done.
    public var description: String {
        switch self {
        case .preamble(let error): "\(error)"
        case .handshake(.truncated):
            "it ended the connection in the middle of the handshake: see whether Tutti still runs there, at that port, "
                + "and install the same release on both"
        case .record(.truncated):
            "it ended the connection in the middle of what it said: see whether Tutti still runs there"
        case .handshake(.badLength), .handshake(.unusableKey):
            "its handshake is malformed: install the same release on both"
        case .handshake(.notAuthentic):
            "its handshake is not authentic: something on the way changes what is sent, or it lacks the key that it "
                + "states; look for a proxy between the two machines, and install the same release on both"
        case .introduction: "it introduces itself at too great a length: install the same release on both"
        case .record(.badLength), .record(.notAuthentic):
            "what came is not what was sent: something on the way changes it; look for a proxy between the two machines"
        }
    }
}
