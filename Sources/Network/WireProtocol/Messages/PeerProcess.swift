/// One running process of one peer.
///
/// A process states its instance itself, and mDNS tells it to everyone. Over a network its peer's UUID follows from a
/// key that was proved, so nobody else can be taken for it; over a local socket the file system decides who connects.
public struct PeerProcess: Hashable, Sendable {
    public let peer: UUIDBytes
    /// Random for each process.
    public let instance: UInt64

    public init(peer: UUIDBytes, instance: UInt64) {
        self.peer = peer
        self.instance = instance
    }
}

extension Greeting {
    public var process: PeerProcess { PeerProcess(peer: peer, instance: instance) }
}
