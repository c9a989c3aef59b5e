import AudioCore
import Cryptography
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A process that lets a new machine in by its code: the shipping ``SponsorSession`` on a virtual machine.
public final class SponsorNode {
    /// How it ended; nil while it has not, and for good if it was killed.
    public private(set) var ending: SponsorEnding?
    /// Told whom it lets in, before that is stored.
    public var onAdmission: (PeerKey) -> Void = { _ in }
    private let identity: MachineIdentity
    private let discovery: VirtualDiscovery
    private let connections: ProcessConnections
    private let unasked: Household?
    private var session: SponsorSession

    private static let interval = TimeSpan.milliseconds(20)
    /// Reading, changing and writing the household's file.
    private static let storingTime = TimeSpan.milliseconds(2)

    /// - Parameter unasked: a household that it sends with its greeting, as no member does.
    init(
        machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery, identity: MachineIdentity,
        greeting: Greeting, target: SponsorTarget, code: PairingCode, unasked: Household?
    ) {
        self.identity = identity
        self.discovery = discovery
        self.unasked = unasked
        connections = ProcessConnections(machine: machine, network: network, key: identity.key)
        session = SponsorSession(
            greeting: greeting, keys: identity.keys, target: target, code: code, now: machine.now)
    }

    public var machine: VirtualMachine { connections.machine }
    public var isRunning: Bool { !connections.isOver && machine.isAlive }

    /// Told how many messages it has written, with each.
    public var onMessage: (Int) -> Void {
        get { connections.onMessage }
        set { connections.onMessage = newValue }
    }

    /// Begins, once whoever wants to hear of it is known.
    public func start() {
        connections.delegate = self
        for action in session.start(now: machine.now) { perform(action) }
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

    private func handle(_ event: SponsorEvent) {
        for action in session.handle(event, now: machine.now) { perform(action) }
    }

    private func perform(_ action: SponsorAction) {
        switch action {
        case .search: search()
        case .dial(let dial): connections.dial(dial)
        case .send(let id, let bytes): connections.send(bytes, to: id)
        case .close(let id): connections.close(id)
        case .admit(let key, let name):
            machine.after(Self.storingTime) { [weak self] in
                guard let self, isRunning else { return }
                admit(key, name)
            }
        case .finished(let ending):
            self.ending = ending
            connections.end()
        }
    }

    private func search() {
        discovery.browse(on: machine) { [weak self] news in
            guard let self, isRunning, case .found(let contact) = news else { return }
            handle(.contact(contact))
        }
    }

    private func admit(_ key: SigningKey, _ name: String) {
        guard var household = identity.household else { return handle(.notAdmitted(.noHousehold)) }
        do throws(HouseholdError) {
            try household.admit(key, name: name, by: identity.keys)
        } catch {
            return handle(.notAdmitted(.household(error)))
        }
        onAdmission(key.peerKey)
        identity.store(household)
        handle(.admitted(household))
    }
}

extension SponsorNode: ProcessConnectionsDelegate {
    func didOpen(_ id: ConnectionID, address: String, dial: Dialer.Dial?) {
        guard let dial else { return }
        handle(.opened(id, address: address, dial: dial))
        guard let unasked else { return }
        connections.send(WireEncoder.household(unasked.encoded().withBytes { Array($0) }), to: id)
    }

    func didFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial)) }

    func didIntroduce(_ id: ConnectionID, _ key: PeerKey, _ binding: ChannelBinding, _ introduction: [UInt8]) {
        handle(.authenticated(id, key, binding))
    }

    func didReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func didClose(_ id: ConnectionID) { handle(.closed(id)) }
}
