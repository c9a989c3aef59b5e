import Cryptography
import SecureChannel

/// One channel to a peer, as the household sees it. The owner of the connection keeps one beside it.
public struct HouseholdMeeting: Sendable {
    /// The key that the other side has proved to have.
    public let remoteKey: PeerKey
    public let binding: ChannelBinding
    /// Of the secret that it has shown to know. That counts until there is another.
    var provenSecretDigest: Bytes32?
    /// The document that the other side has, or was sent.
    var theirDigest: Bytes32?

    public init(remoteKey: PeerKey, binding: ChannelBinding) {
        self.remoteKey = remoteKey
        self.binding = binding
    }
}
