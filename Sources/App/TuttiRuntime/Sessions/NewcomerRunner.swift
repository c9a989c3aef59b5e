import Discovery
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one new machine together that waits to be paired: its port, its mDNS record, and the session.
///
/// Confined to its event loop.
final class NewcomerRunner: PeerNetworkDelegate {
    private let options: NetworkOptions
    private let greeting: Greeting
    private let store: any HouseholdStore
    private let loop: any EventLoop
    private let network: PeerNetwork
    private let work: WorkQueue
    private let emit: @Sendable (Newcomer.Event) -> Void
    private let done: EventLoopPromise<Household?>
    private var session: NewcomerSession
    private let events = EventSequencer<NewcomerEvent>()
    private var discovery: DiscoveryBridge?
    private var ticker: RepeatedTask?

    private static let tick = TimeAmount.milliseconds(50)

    init(
        network options: NetworkOptions, identity: Identity, store: any HouseholdStore, loop: any EventLoop,
        emit: @escaping @Sendable (Newcomer.Event) -> Void
    ) {
        self.options = options
        self.store = store
        self.loop = loop
        self.emit = emit
        network = PeerNetwork(loop: loop, keys: identity.keys)
        work = WorkQueue(loop: loop)
        done = loop.makePromise()
        greeting = Greeting(
            roles: .pairing, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = NewcomerSession(greeting: greeting, keys: identity.keys)
    }

    func run() -> EventLoopFuture<Household?> {
        network.delegate = self
        network.listen(options) { [emit] event in
            if case .notice(.network(let notice)) = event { emit(.network(notice)) }
        }
        .whenComplete { result in
            switch result {
            case .success(let port): self.start(port)
            case .failure(let error): self.done.fail(error)
            }
        }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    /// Ends what would otherwise go on.
    func stop() { done.succeed(nil) }

    private func start(_ port: UInt16) {
        if options.usesDiscovery { advertise(port) }
        emit(.reachable(OwnAddresses.typed().map { NetworkAddress(host: $0, port: port) }))
        for action in session.start(now: .now()) { perform(action) }
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.handle(.tick)
        }
    }

    private func advertise(_ port: UInt16) {
        let record = PeerRecord(
            id: greeting.peer, instance: greeting.instance, name: greeting.name, roles: .pairing,
            protocolVersion: UInt32(Preamble.version))
        discovery = DiscoveryBridge(record: record, port: port, browses: false, loop: loop) {
            [emit, name = greeting.name] finding in
            switch finding {
            case .notice(let notice): emit(.network(notice))
            case .renamed(let other): emit(.network(.nameTaken(name, instead: other)))
            case .contact, .lost: break
            }
        }
    }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        let goodbye = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return goodbye.flatMap { self.network.shutDown() }.flatMap { self.work.finish() }
    }

    private func handle(_ event: NewcomerEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: NewcomerAction) {
        switch action {
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .tell(let notice): emit(.pairing(notice))
        case .store(let household): keep(household)
        case .finished(.paired(let household)): done.succeed(household)
        case .finished(.failed(let failure)): done.fail(RuntimeFailure(failure.kind, .newcomer(failure)))
        }
    }

    private func keep(_ household: Household) {
        work.perform { [store] in
            try store.change { (stored: inout Household?) throws(HouseholdError) in
                guard let known = stored else { return stored = household }
                // Another process of this machine was faster.
                guard known.id == household.id else { throw .otherHousehold }
                try stored?.merge(household)
            }.get()
        } then: { result in
            switch result {
            case .success: self.handle(.stored)
            case .failure(let error): self.handle(.notStored(Self.words(for: error)))
            }
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case HouseholdError.otherHousehold: "this machine belongs to another one by now"
        case let failure as MemoryFailure: failure.message
        default: "\(error)"
        }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        handle(.opened(id, address: address))
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {}

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key, peer.binding))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop: the network, mDNS and the ticker bring their events there.
extension NewcomerRunner: @unchecked Sendable {}

extension NewcomerFailure {
    fileprivate var kind: RuntimeFailure.Kind {
        switch self {
        case .tooManyFailures: .notAllowed
        case .notStored: .cannotCreate
        }
    }
}
