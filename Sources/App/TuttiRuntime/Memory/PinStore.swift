import Peering

/// A store of which name of a peer belongs to which key. Several processes may use it at once.
///
/// Each method may wait for a disk, so call them only on threads that may block.
public protocol PinStore: Sendable {
    func load() throws(MemoryFailure) -> PinnedNames

    /// Pins these peers' names, in addition to what others have stored by now.
    /// - Parameter time: in seconds since 1970.
    /// - Returns: what is stored then.
    func note(_ peers: [MetPeer], at time: Int64) throws(MemoryFailure) -> PinnedNames
}
