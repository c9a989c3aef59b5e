import AudioCore
import Peering
import WireProtocol

/// A peer that mDNS knows now, as `tutti peers` shows it.
public struct PeerEntry: Hashable, Sendable {
    /// Unique on the network, as `--from` and `--to` take it.
    public var name: String
    public var roles: PeerRoles
    /// What it does: a broadcaster as it says itself, a listener as the broadcast says that feeds it.
    public var activity: PeerActivity
    /// The song; nil for none.
    public var playing: String?
    /// Addresses at which it may be reached, the most promising first.
    public var addresses: [NetworkAddress]
    /// For example `kitchen.local`.
    public var hostName: String
    public var protocolVersion: UInt32
    public var peer: UUIDBytes
    public var instance: UInt64
    /// As what this machine knows it: a broadcaster by the key that it proved, any other as it announces itself.
    public var relation: PeerRelation

    public init(
        name: String, roles: PeerRoles, activity: PeerActivity, playing: String?, addresses: [NetworkAddress],
        hostName: String, protocolVersion: UInt32, peer: UUIDBytes, instance: UInt64, relation: PeerRelation = .new
    ) {
        self.name = name
        self.roles = roles
        self.activity = activity
        self.playing = playing
        self.addresses = addresses
        self.hostName = hostName
        self.protocolVersion = protocolVersion
        self.peer = peer
        self.instance = instance
        self.relation = relation
    }
}

/// What a peer does.
public enum PeerActivity: String, Hashable, Sendable {
    /// A broadcaster with nothing to play, or a listener that no broadcast feeds.
    case idle
    /// A broadcaster that waits for listeners or its source, or a connected listener that does not sound yet.
    case waiting
    case playing
    case paused
    /// A broadcaster that begins its song when it is told to.
    case stopped
    /// A broadcaster that did not answer.
    case unanswered
    /// A broadcaster that does not tell us.
    case refused
    /// A listener that no broadcast names, while not all tell whom they feed.
    case unknown
}
