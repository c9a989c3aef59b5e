import Households
import SecureChannel

/// The other end of an encrypted connection, as far as it has proved who it is.
struct AuthenticatedPeer: Sendable {
    let key: PeerKey
    /// What whoever proves something over this connection includes.
    let binding: ChannelBinding
    let standing: PeerStanding
}
