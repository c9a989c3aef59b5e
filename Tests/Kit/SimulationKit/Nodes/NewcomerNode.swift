import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A process that waits with a code to be let into a household: the shipping ``NewcomerSession`` on a virtual machine.
public final class NewcomerNode {
    /// Where it listens, beside its machine's listener.
    public static let port = NetworkAddress.defaultPort + 1

    /// Codes that it has shown; the last one is on the screen.
    public private(set) var codes: [PairingCode] = []
    /// Why tries failed.
    public private(set) var failures: [PairingTryFailure] = []
    /// How it ended; nil while it has not, and for good if it was killed.
    public private(set) var ending: NewcomerEnding?
    private let identity: MachineIdentity
    private let greeting: Greeting
    private let discovery: VirtualDiscovery
    private let connections: ProcessConnections
    private var session: NewcomerSession

    private static let interval = TimeSpan.milliseconds(50)
    /// Writing the household's file.
    private static let storingTime = TimeSpan.milliseconds(2)

    init(
        machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery, identity: MachineIdentity,
        greeting: Greeting
    ) {
        self.identity = identity
        self.greeting = greeting
        self.discovery = discovery
        connections = ProcessConnections(machine: machine, network: network, key: identity.key)
        session = NewcomerSession(greeting: greeting, keys: identity.keys)
    }

    public var name: String { greeting.name }
    public var machine: VirtualMachine { connections.machine }
    public var isRunning: Bool { !connections.isOver && machine.isAlive }

    func start() {
        connections.delegate = self
        connections.listen(on: Self.port)
        machine.after(VirtualDiscovery.registrationTime) { [weak self] in self?.advertise() }
        for action in session.start(now: machine.now) { perform(action) }
        keepTime()
    }

    private func advertise() {
        guard isRunning else { return }
        discovery.publish(
            PeerContact(
                key: greeting.contactKey, name: greeting.name, roles: greeting.roles, started: greeting.started,
                addresses: [NetworkAddress(host: machine.name, port: Self.port)]))
    }

    /// The process ends without a word of its own, or has ended with its machine.
    public func kill() {
        guard !connections.isOver else { return }
        connections.kill()
        discovery.withdraw(greeting.contactKey)
    }

    private func keepTime() {
        machine.after(Self.interval) { [weak self] in
            guard let self, isRunning else { return }
            handle(.tick)
            keepTime()
        }
    }

    private func handle(_ event: NewcomerEvent) {
        for action in session.handle(event, now: machine.now) { perform(action) }
    }

    private func perform(_ action: NewcomerAction) {
        switch action {
        case .send(let id, let bytes): connections.send(bytes, to: id)
        case .close(let id): connections.close(id)
        case .tell(.code(let code, _)): codes.append(code)
        case .tell(.failed(_, let failure, _)): failures.append(failure)
        case .store(let household):
            machine.after(Self.storingTime) { [weak self] in
                guard let self, isRunning else { return }
                store(household)
            }
        case .finished(let ending):
            self.ending = ending
            connections.end()
            discovery.withdraw(greeting.contactKey)
        }
    }

    private func store(_ household: Household) {
        if let known = identity.household {
            // Another process of this machine was faster.
            guard known.id == household.id else { return handle(.notStored("it belongs to another household")) }
            identity.merge(household)
        } else {
            identity.store(household)
        }
        handle(.stored)
    }
}

extension NewcomerNode: ProcessConnectionsDelegate {
    func didOpen(_ id: ConnectionID, address: String, dial: Dialer.Dial?) { handle(.opened(id, address: address)) }

    func didIntroduce(_ id: ConnectionID, _ key: PeerKey, _ binding: ChannelBinding, _ introduction: [UInt8]) {
        handle(.authenticated(id, key, binding))
    }

    func didReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func didClose(_ id: ConnectionID) { handle(.closed(id)) }
}
