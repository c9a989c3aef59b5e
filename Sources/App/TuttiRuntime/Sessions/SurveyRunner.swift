import Controlling
import NIOCore
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one survey together: connections, and the session.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class SurveyRunner: PeerNetworkDelegate {
    private let loop: any EventLoop
    private let household: HouseholdConnector
    private let network: PeerNetwork
    private let done: EventLoopPromise<Survey>
    private var session: SurveySession
    private let events = EventSequencer<SurveyEvent>()
    private var ticker: RepeatedTask?

    private static let tick = TimeAmount.milliseconds(10)

    init(contacts: [PeerContact], identity: Identity, loop: any EventLoop) {
        self.loop = loop
        household = HouseholdConnector(identity: identity, loop: loop, emit: { _ in })
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .controller, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = SurveySession(greeting: greeting, contacts: contacts, now: .now())
    }

    func run() -> EventLoopFuture<Survey> {
        network.delegate = self
        ticker = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.tick) { [weak self] _ in
            self?.handle(.tick)
        }
        return done.futureResult.afterTearDown {
            self.ticker?.cancel()
            return self.network.shutDown(lingers: false).flatMap { self.household.shutDown() }
        }
    }

    private func handle(_ event: SurveyEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: SurveyAction) {
        switch action {
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .finished(let answers): done.succeed(Survey(answers: answers, keys: session.keys))
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

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop: the network and the ticker bring their events there.
extension SurveyRunner: @unchecked Sendable {}

/// What became of a survey.
struct Survey: Sendable {
    /// Of every broadcast.
    var answers: [PeerContact.Key: SurveyAnswer] = [:]
    /// Of those that proved one.
    var keys: [PeerContact.Key: PeerKey] = [:]
}
