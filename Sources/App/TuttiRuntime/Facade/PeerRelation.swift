import Households
import Peering
import SecureChannel
import WireProtocol

/// As what this machine knows a peer.
public enum PeerRelation: String, Hashable, Sendable {
    case thisMachine
    /// Of this machine's household.
    case member
    /// Removed from this machine's household.
    case removed
    /// Its key came before, with a name.
    case known
    case new
}

/// Whom this machine knows.
struct KnownPeers {
    let own: PeerKey
    var household: Household?
    var pins = PinnedNames()

    func relation(of key: PeerKey) -> PeerRelation {
        if key == own { return .thisMachine }
        switch household?.standing(of: key) {
        case .member: return .member
        case .removed: return .removed
        case .unknown, nil: return pins.all.contains { $0.key == key } ? .known : .new
        }
    }

    /// Of a peer that was not asked to prove its key: as it announces itself, so anybody may claim it.
    func relation(ofClaimed uuid: UUIDBytes) -> PeerRelation {
        let keys = [own] + (household?.members.map(\.peerKey) ?? []) + pins.all.map(\.key)
        return keys.first { $0.uuid == uuid }.map(relation(of:)) ?? .new
    }
}
