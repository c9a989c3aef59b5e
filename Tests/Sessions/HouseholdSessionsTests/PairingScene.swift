import AudioCore
import Cryptography
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A machine's keys and its greeting.
struct Machine {
    let name: String
    let keys = PeerKeyPair.random()

    init(_ name: String) { self.name = name }

    func greeting(_ roles: PeerRoles = .pairing) -> Greeting {
        Greeting(
            roles: roles, peer: keys.key.uuid, instance: keys.key.uuid.low, started: 0, name: name)
    }
}
