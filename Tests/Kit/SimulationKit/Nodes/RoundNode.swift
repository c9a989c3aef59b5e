import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// A process that goes round all Tuttis that it finds: the shipping ``HouseholdRound`` on a virtual machine.
public final class RoundNode {
    public enum Errand {
        /// So that these members have the document now.
        case telling(Set<PeerKey>)
        /// The same, after a removal.
        case removing(Set<PeerKey>)
        /// Until one of them lets this machine in, which has the invitation.
        case enrolling(Invitation)
    }

    /// What became of it; nil while the round goes on.
    public private(set) var outcome: RoundOutcome?
    private let errand: Errand
    private let identity: MachineIdentity
    private let name: String
    private let discovery: VirtualDiscovery
    private let connections: ProcessConnections
    private var meetings: HouseholdMeetings<ConnectionID>
    private var session: HouseholdRound
    private var keys: [ConnectionID: PeerKey] = [:]

    private static let interval = TimeSpan.milliseconds(20)

    init(
        _ errand: Errand, machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery,
        identity: MachineIdentity, greeting: Greeting
    ) {
        self.errand = errand
        self.identity = identity
        self.discovery = discovery
        name = greeting.name
        connections = ProcessConnections(machine: machine, network: network, key: identity.key)
        meetings = HouseholdMeetings(keys: identity.keys, household: identity.household)
        let purpose: HouseholdRound.Purpose =
            switch errand {
            case .telling(let members): .telling(members)
            case .removing(let members): .removing(members)
            case .enrolling: .enrolling
            }
        session = HouseholdRound(greeting: greeting, purpose: purpose, now: machine.now)
    }

    public var machine: VirtualMachine { connections.machine }
    public var isRunning: Bool { !connections.isOver && machine.isAlive }

    func start() {
        connections.delegate = self
        discovery.browse(on: machine) { [weak self] news in
            guard let self, isRunning, case .found(let contact) = news else { return }
            handle(.found(contact))
        }
        handle(.tick)
        keepTime()
    }

    /// The process ends without a word of its own.
    public func kill() { connections.kill() }

    private func keepTime() {
        machine.after(Self.interval) { [weak self] in
            guard let self, isRunning else { return }
            handle(.tick)
            keepTime()
        }
    }

    private func handle(_ event: RoundEvent) {
        for action in inOrder(session.handle(event, now: machine.now)) { perform(action) }
    }

    /// Puts what concerns connections in their order, so that a run can be replayed: they come in that of a dictionary.
    private func inOrder(_ actions: [RoundAction]) -> [RoundAction] {
        func rank(_ action: RoundAction) -> Int {
            switch action {
            case .send(let id, _), .close(let id), .household(let id, _), .refused(let id, _, _): id.number
            case .dial: Int.max - 1
            case .finished: Int.max
            }
        }
        return actions.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }

    private func perform(_ action: RoundAction) {
        switch action {
        case .dial(let dial): connections.dial(dial)
        case .send(let id, let bytes): connections.send(bytes, to: id)
        case .close(let id): connections.close(id)
        case .household(let id, let document): take(Array(document.readableBytesView), from: id)
        case .refused: break
        case .finished(let outcome):
            self.outcome = outcome
            connections.end()
        }
    }

    // MARK: The household

    private func take(_ document: [UInt8], from id: ConnectionID) {
        identity.onDocument?(document)
        perform((try? meetings.receive(document: document, from: id, now: machine.now)) ?? [])
        guard case .enrolling(let invitation) = errand, identity.household == nil, let sender = keys[id],
            let household = try? invitation.household(decoding: document, from: sender, for: identity.key)
        else { return }
        identity.store(household)
        connections.end()
    }

    private func perform(_ actions: [HouseholdMeetings<ConnectionID>.Action]) {
        for action in actions.inOrder {
            switch action {
            case .send(let id, let document):
                handle(.document(id, WireEncoder.household(document.withBytes { Array($0) })))
            case .store(let household): identity.merge(household)
            case .standing, .admitted, .full, .changed: break
            }
        }
    }
}

extension RoundNode: ProcessConnectionsDelegate {
    func introduction(_ id: ConnectionID, to key: PeerKey, over binding: ChannelBinding) -> [UInt8] {
        var request: InvitationRequest?
        if case .enrolling(let invitation) = errand {
            request = try? invitation.request(for: identity.keys, name: name, over: binding)
        }
        return meetings.open(id, remoteKey: key, binding: binding, invitation: request?.encoded() ?? [])
    }

    func didOpen(_ id: ConnectionID, address: String, dial: Dialer.Dial?) {
        if let dial { handle(.opened(id, address: address, dial: dial)) }
    }

    func didFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial, failure)) }

    func didIntroduce(_ id: ConnectionID, _ key: PeerKey, _ binding: ChannelBinding, _ introduction: [UInt8]) {
        keys[id] = key
        var standing = PeerStanding.stranger
        var others: [HouseholdMeetings<ConnectionID>.Action] = []
        let time = machine.loop.now.unixTime
        for action in meetings.receive(
            introduction: ByteBuffer(bytes: introduction), from: id, at: time, now: machine.now)
        {
            if case .standing(id, let found) = action { standing = found } else { others.append(action) }
        }
        perform(others)
        handle(.authenticated(id, key, standing))
    }

    func didReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func didWrite(_ id: ConnectionID, byteCount: Int) { handle(.written(id, byteCount: byteCount)) }

    func didClose(_ id: ConnectionID) {
        keys[id] = nil
        meetings.close(id)
        handle(.closed(id))
    }
}
