import Households
import NIOCore
import Peering
import SecureChannel

/// Receives the network's events; always on the event loop.
protocol PeerNetworkDelegate: AnyObject {
    /// A connection is there. What is sent over it leaves when it is secure.
    /// - Parameters:
    ///   - address: numeric, of the other end.
    ///   - dial: nil if the other end dialled.
    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?)
    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure)
    /// The other end has proved who it is. Precedes anything that it says, except over local sockets, where nobody
    /// proves anything.
    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer)
    /// The other end is this to this machine from now on.
    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding)
    /// This machine's household, or its place in it, is another one than before. Changes of standing follow.
    func networkDidChangeHousehold()
    /// What comes is not what a peer sends, or ended in the middle: the connection is to be closed.
    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError)
    /// Bytes of messages.
    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer)
    /// The kernel took what ``PeerNetwork/send(_:to:)`` was given in one turn of the loop.
    /// - Parameter byteCount: of the messages, without what encryption adds.
    func networkDidWrite(_ id: ConnectionID, byteCount: Int)
    /// The connection ended, at either end or by an error.
    func networkDidClose(_ id: ConnectionID)
}

/// For those that only ask: a connection or two, soon over.
extension PeerNetworkDelegate {
    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding) {}

    func networkDidChangeHousehold() {}
}
