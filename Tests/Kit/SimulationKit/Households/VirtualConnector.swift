import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// The household's part in one process: what the runtime's connector and its network's handshakes are to a real one.
final class VirtualConnector {
    let identity: MachineIdentity
    private let machine: VirtualMachine
    private let fault: PlantedFault?
    private var meetings: HouseholdMeetings<ConnectionID>
    private var channels: [ConnectionID: VirtualChannel] = [:]
    /// Of what was stored when it last looked.
    private var version: Int

    /// The other side of a connection has proved its key, and is this.
    var onAuthenticated: (ConnectionID, PeerKey, PeerStanding) -> Void = { _, _, _ in }
    /// It is this from now on.
    var onStanding: (ConnectionID, PeerStanding) -> Void = { _, _ in }
    /// The household, or this machine's place in it, is another one.
    var onChange: () -> Void = {}

    /// As often as a process looks whether another one of its machine stored something.
    private static let interval = TimeSpan.seconds(1)

    init(identity: MachineIdentity, machine: VirtualMachine, fault: PlantedFault?) {
        self.identity = identity
        self.machine = machine
        self.fault = fault
        meetings = HouseholdMeetings(keys: identity.keys, household: identity.household)
        version = identity.version
    }

    var household: Household? { meetings.household }

    func standing(of key: PeerKey) -> PeerStanding? { meetings.standing(of: key) }

    /// Returns who may do what now.
    func policy(_ chosen: AccessPolicy) -> AccessPolicy {
        var policy = chosen
        policy.household = household?.name
        return policy
    }

    /// Looks from now on whether something else is stored.
    func watchStore() {
        machine.after(Self.interval) { [weak self] in
            self?.look()
            self?.watchStore()
        }
    }

    private func look() {
        guard version != identity.version else { return }
        version = identity.version
        perform((try? meetings.adopt(identity.household, now: machine.now)) ?? [])
    }

    // MARK: Connections

    func open(_ id: ConnectionID, _ endpoint: StreamEndpoint, _ direction: PeerConnection.Direction) {
        let channel = VirtualChannel(
            endpoint, isDialer: direction == .dialed, key: identity.key,
            introduce: { [unowned self] in meetings.open(id, remoteKey: $0, binding: $1) },
            introduced: { [unowned self] in introduced(id, $0, $1) })
        channels[id] = channel
        channel.start()
    }

    private func introduced(_ id: ConnectionID, _ key: PeerKey, _ introduction: [UInt8]) {
        var standing = PeerStanding.stranger
        var others: [HouseholdMeetings<ConnectionID>.Action] = []
        let time = machine.loop.now.unixTime
        for action in meetings.receive(
            introduction: ByteBuffer(bytes: introduction), from: id, at: time, now: machine.now)
        {
            if case .standing(id, let found) = action { standing = found } else { others.append(action) }
        }
        perform(others)
        onAuthenticated(id, key, fault == .everybodyIsMember ? .member : standing)
    }

    /// Takes bytes, and returns those that are messages.
    func receive(_ bytes: ByteBuffer, from id: ConnectionID) -> ByteBuffer? { channels[id]?.receive(bytes) }

    func write(_ bytes: ByteBuffer, to id: ConnectionID) { channels[id]?.write(bytes) }

    /// Returns how many of the bytes that were taken are messages.
    func wrote(_ byteCount: Int, to id: ConnectionID) -> Int { channels[id]?.wrote(byteCount) ?? 0 }

    func close(_ id: ConnectionID) { channels[id]?.close() }

    func closed(_ id: ConnectionID) {
        channels[id] = nil
        meetings.close(id)
    }

    /// Takes a document that the other side sent.
    func receive(document: ByteBuffer, from id: ConnectionID) {
        let bytes = Array(document.readableBytesView)
        identity.onDocument?(bytes)
        guard fault != .ignoredDocuments else { return }
        perform((try? meetings.receive(document: bytes, from: id, now: machine.now)) ?? [])
    }

    // MARK: Actions

    private func perform(_ actions: [HouseholdMeetings<ConnectionID>.Action]) {
        for action in actions.inOrder {
            switch action {
            case .standing(let id, let standing):
                if fault != .everybodyIsMember { onStanding(id, standing) }
            case .send(let id, let document):
                write(WireEncoder.household(document.withBytes { Array($0) }), to: id)
            case .store(let household): identity.merge(household)
            case .admitted(let name): identity.onInvited?(name)
            case .full: break
            case .changed: onChange()
            }
        }
    }
}
