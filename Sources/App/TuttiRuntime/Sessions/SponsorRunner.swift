import Discovery
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one sponsor together: connections, mDNS if it is needed, and the session.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class SponsorRunner: PeerNetworkDelegate {
    typealias Outcome = (name: String, household: Household)

    private let target: SponsorTarget
    private let keys: PeerKeyPair
    private let store: any HouseholdStore
    private let loop: any EventLoop
    private let network: PeerNetwork
    private let work: WorkQueue
    private let done: EventLoopPromise<Outcome?>
    private var session: SponsorSession
    private let events = EventSequencer<SponsorEvent>()
    private var discovery: PeerDiscovery?
    private var ticker: RepeatedTask?

    private static let tick = TimeAmount.milliseconds(20)

    init(
        target: SponsorTarget, code: PairingCode, identity: Identity, store: any HouseholdStore, loop: any EventLoop
    ) {
        self.target = target
        self.store = store
        self.loop = loop
        keys = identity.keys
        network = PeerNetwork(loop: loop, keys: identity.keys)
        work = WorkQueue(loop: loop)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .pairing, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = SponsorSession(greeting: greeting, keys: identity.keys, target: target, code: code, now: .now())
    }

    func run() -> EventLoopFuture<Outcome?> {
        network.delegate = self
        for action in session.start(now: .now()) { perform(action) }
        ticker = loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.handle(.tick)
        }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    /// Ends what would otherwise go on.
    func stop() { done.succeed(nil) }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        let searched = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return searched.flatMap { self.network.shutDown() }.flatMap { self.work.finish() }
    }

    private func search() {
        discovery = PeerDiscovery.search(
            on: loop, found: { [weak self] contact in self?.handle(.contact(contact)) },
            failed: { [weak self] failure in self?.handle(.searchFailed(failure.cause)) })
    }

    private func handle(_ event: SponsorEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: SponsorAction) {
        switch action {
        case .search: search()
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .admit(let key, let name): admit(key, name)
        case .finished(.paired(let name, let household)): done.succeed((name, household))
        case .finished(.failed(let failure)): done.fail(RuntimeFailure(failure.kind, .sponsor(failure, target)))
        }
    }

    private func admit(_ key: SigningKey, _ name: String) {
        work.perform { [store, keys] in
            try store.change { (stored: inout Household?) throws(HouseholdError) in
                try stored?.admit(key, name: name, by: keys)
            }.get()
        } then: { result in
            switch result {
            case .success(let household?): self.handle(.admitted(household))
            case .success(nil): self.handle(.notAdmitted(.noHousehold))
            case .failure(let error): self.handle(.notAdmitted(AdmissionFailure(error)))
            }
        }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        if let dial { handle(.opened(id, address: address, dial: dial)) }
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial)) }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key, peer.binding))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop: the network, mDNS and the ticker bring their events there.
extension SponsorRunner: @unchecked Sendable {}

extension AdmissionFailure {
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as HouseholdError: self = .household(error)
        case let failure as MemoryFailure: self = .notStored(failure.message)
        default: self = .notStored("\(error)")
        }
    }
}

extension SponsorFailure {
    fileprivate var kind: RuntimeFailure.Kind {
        switch self {
        case .notFound, .noAnswer: .unknownPeer
        case .ambiguous: .usage
        case .cannotSearch, .doesNotWait: .unavailable
        case .wrongCode, .doesNotKnowCode, .foreignKey: .notAllowed
        case .turnedAway(_, .busy, _): .temporary
        case .turnedAway: .unavailable
        case .timedOut: .temporary
        case .lost, .unconfirmed: .lost
        case .brokenProtocol(_, .security(let error)) where error.isEarlyEnd: .lost
        case .malformed, .brokenProtocol: .incompatible
        case .notAdmitted(_, .noHousehold): .unavailable
        case .notAdmitted(_, .household(.full)), .notAdmitted(_, .notStored): .cannotCreate
        case .notAdmitted(_, .household): .notAllowed
        }
    }
}
