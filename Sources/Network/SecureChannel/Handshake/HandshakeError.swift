/// Why a handshake failed. The connection is useless then; the other side is told nothing.
public enum HandshakeError: Error, Hashable, Sendable {
    /// A message is shorter or longer than any that may come at this place.
    case badLength(Int)
    /// A public key with which every agreement is zero. Honest peers never send one.
    case unusableKey
    /// Something was changed on the way, the preambles differ, or the other side does not have the key that it states.
    case notAuthentic
    /// The connection ended within the handshake, or before the introduction that follows it was whole.
    case truncated
}
