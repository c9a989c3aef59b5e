import HouseholdSessions
import Households
import Pairing
import Peering
import WireProtocol

/// Processes that are soon over, on machines that are there. What each is known by comes from the scenario: so they
/// change nothing of what else is left to chance.
extension World {
    /// Adds a machine on which nothing runs yet.
    public func addMachine() -> VirtualMachine { addMachine(nil, nil) }

    /// A machine waits to be let in.
    /// - Parameter instance: random for each process.
    public func addNewcomer(
        _ name: String, _ identity: MachineIdentity, on machine: VirtualMachine, instance: UInt64
    ) -> NewcomerNode {
        let node = NewcomerNode(
            machine: machine, network: network, discovery: discovery, identity: identity,
            greeting: greeting(name, .pairing, identity, instance))
        node.start()
        return node
    }

    /// A code is typed on a machine, whose process is still to be started.
    /// - Parameter unasked: a household that it sends with its greeting, as no member does.
    public func addSponsor(
        _ name: String, _ identity: MachineIdentity, on machine: VirtualMachine, instance: UInt64,
        target: SponsorTarget, code: PairingCode, unasked: Household? = nil
    ) -> SponsorNode {
        SponsorNode(
            machine: machine, network: network, discovery: discovery, identity: identity,
            greeting: greeting(name, .pairing, identity, instance), target: target, code: code, unasked: unasked)
    }

    /// A machine goes round all others.
    public func addRound(
        _ errand: RoundNode.Errand, _ name: String, _ identity: MachineIdentity, on machine: VirtualMachine,
        instance: UInt64
    ) -> RoundNode {
        let node = RoundNode(
            errand, machine: machine, network: network, discovery: discovery, identity: identity,
            greeting: greeting(name, .controller, identity, instance))
        node.start()
        return node
    }

    private func greeting(
        _ name: String, _ roles: PeerRoles, _ identity: MachineIdentity, _ instance: UInt64
    ) -> Greeting {
        Greeting(
            roles: roles, peer: identity.key.uuid, instance: instance, started: loop.now.unixTime, name: name)
    }
}
