import AudioCore
import Discovery
import HostSystem
import NIOCore
import Observing
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one check together: a connection to the broadcaster, mDNS if it is needed, the session and the judge.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class CheckRunner: PeerNetworkDelegate {
    private let options: CheckOptions
    private let loop: any EventLoop
    private let household: HouseholdConnector
    private let network: PeerNetwork
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let done: EventLoopPromise<CheckResult>
    private var session: ObserveSession
    private let events = EventSequencer<ObserveEvent>()
    private var judge: SyncJudge
    private var discovery: PeerDiscovery?
    private var ticker: RepeatedTask?
    /// The observed broadcast, and since when.
    private var watched: (name: String, since: HostTime)?

    private static let tick = TimeAmount.milliseconds(20)
    /// How long to observe a broadcast in which no listener plays.
    private static let patience = TimeSpan.seconds(10)

    init(
        options: CheckOptions, identity: Identity, loop: any EventLoop,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.options = options
        self.loop = loop
        self.emit = emit
        household = HouseholdConnector(identity: identity, loop: loop, emit: emit)
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .observer, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = ObserveSession(
            greeting: greeting, address: options.address, allowedNames: options.from,
            isInHousehold: identity.household?.household != nil, now: .now())
        judge = SyncJudge(limit: options.limit, browserLimit: options.browserLimit)
    }

    func run() -> EventLoopFuture<CheckResult> {
        network.delegate = self
        if options.address == nil { startDiscovery() }
        ticker = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.tick) { [weak self] _ in self?.onTick() }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        let searched = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return searched.flatMap { self.network.shutDown(lingers: false) }.flatMap { self.household.shutDown() }
    }

    private func startDiscovery() {
        discovery = PeerDiscovery.search(
            on: loop, found: { [weak self] contact in self?.handle(.contact(contact)) },
            failed: { [done] failure in done.fail(RuntimeFailure(.unavailable, .noDiscovery(failure))) })
    }

    private func onTick() {
        handle(.tick)
        guard let watched, !judge.hasJudged, .now() - watched.since > Self.patience else { return }
        guard judge.objection == nil else { return succeed(hasEnded: false) }
        done.fail(RuntimeFailure(.unavailable, .nobodyPlays(broadcaster: watched.name)))
    }

    private func handle(_ event: ObserveEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: ObserveAction) {
        switch action {
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .watching(let name): watched = (name, .now())
        case .roster(let roster):
            judge.note(roster, now: .now())
            if judge.hasJudged, judge.watched >= options.duration { succeed(hasEnded: false) }
        case .notice(let notice): emit(.notice(.observing(notice)))
        case .finished(let ending): finish(ending)
        }
    }

    private func succeed(hasEnded: Bool) {
        done.succeed(
            CheckResult(
                broadcaster: watched?.name ?? "", limit: options.limit, browserLimit: options.browserLimit,
                watched: judge.watched, listenerCount: judge.listenerCount, objection: judge.objection,
                worst: judge.worst, worstOfBrowsers: judge.worstOfBrowsers, hasEnded: hasEnded))
    }

    private func finish(_ ending: ObserveEnding) {
        switch ending {
        case .ended where judge.hasJudged: succeed(hasEnded: true)
        case .ended:
            done.fail(RuntimeFailure(.unavailable, .endedUnchecked))
        case .refused(let refusal): done.fail(RuntimeFailure(.unavailable, .checkRefused(refusal)))
        case .lost(let name): done.fail(RuntimeFailure(.lost, .lostInCheck(broadcaster: name)))
        case .nobody:
            let reason = options.address.map { RuntimeFailure.Reason.noAnswer($0) }
            done.fail(RuntimeFailure(.unknownPeer, reason ?? .noBroadcast(names: options.from)))
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
        handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop, to which NIO and mDNS bring their events.
extension CheckRunner: @unchecked Sendable {}
