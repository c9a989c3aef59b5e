import AudioCore
import ClockExchange
import ClockSync
import NIOCore
import Observing
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one examination together: connections, clocks, and the session.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class ExamineRunner: PeerNetworkDelegate {
    private let loop: any EventLoop
    private let household: HouseholdConnector
    private let network: PeerNetwork
    private let done: EventLoopPromise<[ExaminedPeer]>
    private let targetCount: Int
    private var session: ExaminationSession
    private let events = EventSequencer<ExaminationEvent>()
    /// By the indices of their paths.
    private var clocks: [Int: AskedClock] = [:]
    private var ticker: RepeatedTask?

    private struct AskedClock {
        let address: NetworkAddress
        let client: Result<ClockClientThread, ClockExchangeError>
    }

    private static let tick = TimeAmount.milliseconds(10)

    init(targets: [[NetworkAddress]], span: TimeSpan, identity: Identity, loop: any EventLoop) {
        self.loop = loop
        targetCount = targets.count
        household = HouseholdConnector(identity: identity, loop: loop, emit: { _ in })
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .observer, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = ExaminationSession(greeting: greeting, targets: targets, span: span, now: .now())
    }

    func run() -> EventLoopFuture<[ExaminedPeer]> {
        network.delegate = self
        ticker = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.tick) { [weak self] _ in
            self?.handle(.tick)
        }
        return done.futureResult.afterTearDown {
            self.ticker?.cancel()
            for clock in self.clocks.values { try? clock.client.get().stop() }
            return self.network.shutDown(lingers: false).flatMap { self.household.shutDown() }
        }
    }

    private func handle(_ event: ExaminationEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: ExaminationAction) {
        switch action {
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .askClock(let id, let path, let port, let key): askClock(id, path, port, key)
        case .finished(let paths): done.succeed(peers(paths))
        }
    }

    private func askClock(_ id: ConnectionID, _ path: Int, _ port: UInt16, _ key: [UInt8]) {
        guard let host = network.remoteHost(id), let address = DatagramAddress(numericHost: host, port: port),
            let key = ClockKey(bytes: key)
        else { return }
        clocks[path] = AskedClock(
            address: NetworkAddress(host: host, port: port),
            client: Result { () throws(ClockExchangeError) in try ClockClientThread(address: address, key: key) })
    }

    private func peers(_ paths: [ExaminedPath]) -> [ExaminedPeer] {
        (0..<targetCount).map { target in
            let own = paths.indices.filter { paths[$0].target == target }
            var peer = ExaminedPeer(paths: own.map { paths[$0] })
            peer.clocks = own.compactMap { clocks[$0] }.map { clock in
                ExaminedClock(
                    address: clock.address,
                    exchange: clock.client.map { ClockExchangeReport($0.statistics, $0.estimate) })
            }
            return peer
        }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        if let dial { handle(.opened(id, dial: dial)) }
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial, failure)) }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) {
        handle(.broken(id, reason: "\(error)"))
    }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop: the network and the ticker bring their events there.
extension ExamineRunner: @unchecked Sendable {}
