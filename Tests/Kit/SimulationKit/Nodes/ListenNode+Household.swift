import Households
import Listening
import NIOCore
import Peering
import WireProtocol

/// The household of its machine.
extension ListenNode {
    /// What this process knows of it; nil in open mode.
    public var household: Household? { connector?.household }

    /// Machines without keys are members to each other where the scenario gives their household a name.
    var isAmongMembers: Bool { connector == nil && configuration.access.household != nil }

    func wireHousehold() {
        guard let connector else { return }
        connector.onAuthenticated = { [unowned self] in handle(.authenticated($0, $1, $2)) }
        connector.onStanding = { [unowned self] in handle(.standing($0, $1)) }
        connector.onChange = { [unowned self] in
            let standing = session.broadcasterKey.flatMap { connector.standing(of: $0) }
            handle(.access(connector.policy(configuration.access), broadcaster: standing))
        }
    }

    public func lookUp(_ lookup: Lookup, for id: ConnectionID) {}

    public func didReceive(household document: ByteBuffer, from id: ConnectionID) {
        connector?.receive(document: document, from: id)
    }
}
