import Cryptography

/// A digest of a whole handshake: the same for both sides, and for no other two.
///
/// What is proved over a channel includes it, so that whoever stands between two handshakes cannot pass it on.
public struct ChannelBinding: Hashable, Sendable, BitwiseCopyable {
    public let bytes: Bytes32

    public init(_ bytes: Bytes32) { self.bytes = bytes }
}

/// What a handshake leads to. Not copyable: two copies would seal different records with the same key and counter.
public struct EstablishedChannel: ~Copyable {
    /// The key that the other side has proved to have.
    public let remoteKey: PeerKey
    public let binding: ChannelBinding
    public var sealer: RecordSealer
    public var opener: RecordOpener
}
