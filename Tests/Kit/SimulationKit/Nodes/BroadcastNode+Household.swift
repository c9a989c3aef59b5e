import Broadcasting
import Households
import NIOCore
import Peering
import Programmes
import WireProtocol

/// The household of its machine.
extension BroadcastNode {
    /// What this process knows of it; nil in open mode.
    public var household: Household? { connector?.household }

    /// Machines without keys are members to each other where the scenario gives their household a name.
    var isAmongMembers: Bool { connector == nil && configuration.access.household != nil }

    func wireHousehold() {
        guard let connector else { return }
        connector.onAuthenticated = { [unowned self] in handle(.authenticated($0, $1, $2)) }
        connector.onStanding = { [unowned self] in handle(.standing($0, $1)) }
        connector.onChange = { [unowned self] in handle(.access(connector.policy(configuration.access))) }
    }

    /// Its songs say nothing of themselves before they play.
    public func describe(_ item: ItemID, at location: ItemLocation) { handle(.described(item, nil)) }

    public func lookUp(_ lookup: Lookup, about item: ItemLocation?, for id: ConnectionID) {}

    public func didReceive(household document: ByteBuffer, from id: ConnectionID) {
        connector?.receive(document: document, from: id)
    }
}
