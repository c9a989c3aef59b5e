import Discovery
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one round among the Tuttis of the network together: mDNS, connections with their household, and the session.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class RoundRunner: PeerNetworkDelegate {
    /// What is done at the other ends.
    struct Options {
        var purpose: HouseholdRound.Purpose
        /// Addresses to dial beside what mDNS finds.
        var addresses: [NetworkAddress] = []
        var usesDiscovery = true
        /// Returns what to show behind the sign over a channel.
        var invitation: (ChannelBinding) -> [UInt8] = { _ in [] }
        /// What each member is sent, whatever it has.
        var farewell: Household?
        /// Takes a document and whose it is.
        var onDocument: (ByteBuffer, PeerKey) -> Void = { _, _ in }
        /// Takes who does not let this machine in, by key and name, and why.
        var onRefusal: (PeerKey, String, Refusal) -> Void = { _, _, _ in }
    }

    private let options: Options
    private let loop: any EventLoop
    private let household: HouseholdConnector
    private let network: PeerNetwork
    private let done: EventLoopPromise<RoundOutcome>
    private var session: HouseholdRound
    private let events = EventSequencer<RoundEvent>()
    private var keys: [ConnectionID: PeerKey] = [:]
    private var discovery: PeerDiscovery?
    private var ticker: RepeatedTask?

    private static let tick = TimeAmount.milliseconds(10)

    init(_ options: Options, identity: Identity, loop: any EventLoop) {
        self.options = options
        self.loop = loop
        household = HouseholdConnector(identity: identity, loop: loop, emit: { _ in })
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .controller, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = HouseholdRound(greeting: greeting, purpose: options.purpose, now: .now())
    }

    /// - Returns: what became of it. While machines are waited for it ends by ``stop()`` only.
    func run() -> EventLoopFuture<RoundOutcome> {
        network.delegate = self
        household.invitation = options.invitation
        // The session counts what is sent.
        household.send = { [weak self] id, message in self?.handle(.document(id, message)) }
        for address in options.addresses { handle(.found(PeerContact(address: address))) }
        if options.usesDiscovery { search() }
        ticker = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.tick) { [weak self] _ in
            self?.handle(.tick)
        }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    func stop() { done.succeed(RoundOutcome()) }

    func fail(_ failure: RuntimeFailure) { done.fail(failure) }

    private func search() {
        discovery = PeerDiscovery.search(
            on: loop, found: { [weak self] contact in self?.handle(.found(contact)) },
            failed: { [weak self] _ in self?.handle(.searchFailed) })
    }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        let searched = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return searched.flatMap { self.network.shutDown() }.flatMap { self.household.shutDown() }
    }

    private func handle(_ event: RoundEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: RoundAction) {
        switch action {
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .household(let id, let document):
            household.receive(document: document, from: id)
            if let key = keys[id] { options.onDocument(document, key) }
        case .refused(let id, let name, let refusal): if let key = keys[id] { options.onRefusal(key, name, refusal) }
        case .finished(let outcome): done.succeed(outcome)
        }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        if let dial { handle(.opened(id, address: address, dial: dial)) }
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial, failure)) }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        keys[id] = peer.key
        if peer.standing == .member, let farewell = options.farewell {
            handle(.document(id, WireEncoder.household(farewell.encoded().withBytes { Array($0) })))
        }
        handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) { handle(.written(id, byteCount: byteCount)) }

    func networkDidClose(_ id: ConnectionID) {
        keys[id] = nil
        handle(.closed(id))
    }
}

// Confined to its event loop: the network, mDNS and the ticker bring their events there.
extension RoundRunner: @unchecked Sendable {}
