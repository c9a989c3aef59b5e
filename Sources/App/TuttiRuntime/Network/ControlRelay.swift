import AudioCore
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// A listener's local socket: programs of this machine talk through it to the broadcaster that the listener hears, over
/// the listener's own connection.
///
/// It greets in the broadcaster's name. While the listener hears nobody, and whenever it goes over to another
/// broadcaster, connections are closed. Confined to its event loop.
final class ControlRelay: PeerNetworkDelegate {
    private let loop: any EventLoop
    private let network: PeerNetwork
    /// The broadcaster that is heard; nil while none is.
    private let broadcaster: () -> Greeting?
    /// Passes a message on to it.
    private let forward: (ControlMessage) -> Void
    private var connections: [ConnectionID: Connection] = [:] {
        didSet { reviewTicker() }
    }
    /// Whose command it was, until its outcome is known.
    private var askers: [CommandID: ConnectionID] = [:]
    /// Who looks up what, the newest last. A broadcaster of another version answers none.
    private var lookups: [(id: CommandID, asker: ConnectionID)] = []
    /// Only while there are connections: a listener should sleep.
    private var ticker: RepeatedTask?

    private struct Connection {
        var peer: PeerConnection
        let broadcaster: PeerProcess
        /// Whether it asked for more than the outcome of its commands.
        var isCurious = false
        /// Whether it asked for all changes of the programme, too.
        var isFollower = false
    }

    private static let connectionCount = 32
    private static let commandCount = 1_024
    private static let lookupCount = 128
    /// The longest message of a program, as of a controller of the broadcaster itself.
    private static let messageByteCount = 4_096
    /// Bytes for a program that takes nothing.
    private static let backlogLimit = 1 << 20

    init(
        loop: any EventLoop, keys: PeerKeyPair, broadcaster: @escaping () -> Greeting?,
        forward: @escaping (ControlMessage) -> Void
    ) {
        self.loop = loop
        network = PeerNetwork(loop: loop, keys: keys, backlogLimit: Self.backlogLimit)
        self.broadcaster = broadcaster
        self.forward = forward
        network.delegate = self
    }

    func listen(_ options: NetworkOptions, emit: @escaping @Sendable (RuntimeEvent) -> Void) {
        network.listenLocally(options, .listen, emit: emit)
    }

    func shutDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        return network.shutDown()
    }

    private func reviewTicker() {
        guard connections.isEmpty == (ticker != nil) else { return }
        ticker?.cancel()
        ticker = nil
        guard !connections.isEmpty else { return }
        ticker = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] _ in
            self?.supervise()
        }
    }

    /// Passes on what the broadcaster answers.
    /// - Returns: whether somebody here asked for it.
    func pass(_ answer: ControlMessage) -> Bool {
        switch answer {
        case .outcome(let outcome):
            guard let asker = askers.removeValue(forKey: outcome.id) else { return false }
            send(WireEncoder.outcome(outcome), to: asker)
        case .songCredit(let credit):
            guard let asker = askers[credit.id] else { return false }
            send(WireEncoder.songCredit(credit), to: asker)
        case .programmeState(let state): tellFollowers(WireEncoder.programmeState(state))
        case .programmeChange(let change): tellFollowers(WireEncoder.programmeChange(change))
        case .queuePage(let page): tellFollowers(WireEncoder.queuePage(page))
        case .finding(let finding):
            guard let index = lookups.firstIndex(where: { $0.id == finding.id }) else { return false }
            send(WireEncoder.finding(finding), to: lookups.remove(at: index).asker)
        case .broadcastEnd(let end): for id in connections.keys { send(WireEncoder.broadcastEnd(end), to: id) }
        default: return false
        }
        return true
    }

    private func tellFollowers(_ bytes: ByteBuffer) {
        for (id, connection) in connections where connection.isCurious { send(bytes, to: id) }
    }

    /// Lets the broadcaster send no more changes, if nobody is left to be told of them.
    private func endFollowing() {
        if !connections.values.contains(where: \.isFollower) { forward(.unfollow) }
    }

    /// Closes connections that lead to a broadcaster which is not heard any more.
    func review() {
        let present = broadcaster()?.process
        for (id, connection) in connections where connection.broadcaster != present { close(id) }
    }

    private func supervise() {
        review()
        let now = HostTime.now()
        for id in Array(connections.keys) {
            if connections[id]?.peer.liveness.isSilent(now) == true {
                close(id)
            } else if connections[id]?.peer.needsKeepAlive(now) == true {
                send(WireEncoder.keepAlive(), to: id)
            }
        }
    }

    private func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        connections[id]?.peer.noteSent(.now())
        network.send(bytes, to: id)
    }

    private func close(_ id: ConnectionID) {
        let connection = connections.removeValue(forKey: id)
        askers = askers.filter { $0.value != id }
        lookups.removeAll { $0.asker == id }
        network.close(id)
        if let connection, connection.isFollower, connection.broadcaster == broadcaster()?.process { endFollowing() }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        guard let broadcaster = broadcaster(), connections.count < Self.connectionCount else {
            return network.close(id)
        }
        let peer = PeerConnection(
            direction: direction, address: address, messageByteCount: Self.messageByteCount, now: .now())
        connections[id] = Connection(peer: peer, broadcaster: broadcaster.process)
        send(WireEncoder.greeting(broadcaster), to: id)
    }

    // Nobody proves anything over a local socket.
    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {}

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { close(id) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) {
        do throws(WireError) {
            guard let events = try connections[id]?.peer.receive(bytes, now: .now()) else { return }
            for case .message(let message) in events { receive(message, from: id) }
        } catch {
            close(id)
        }
    }

    private func receive(_ message: ControlMessage, from id: ConnectionID) {
        switch message {
        case .command(let command): forward(message, of: command.id, from: id)
        case .songOffer(let offer): forward(message, of: offer.id, from: id)
        case .lookup(let lookup):
            lookups = lookups.suffix(Self.lookupCount - 1) + [(lookup.id, id)]
            forward(message)
        case .songBytes(let bytes): if askers[bytes.id] == id { forward(message) }
        case .follow:
            connections[id]?.isCurious = true
            connections[id]?.isFollower = true
            forward(message)
        case .queuePageRequest:
            connections[id]?.isCurious = true
            forward(message)
        case .unfollow:
            connections[id]?.isFollower = false
            endFollowing()
        default: break
        }
    }

    /// Passes on what an outcome is to answer.
    private func forward(_ message: ControlMessage, of command: CommandID, from id: ConnectionID) {
        guard askers.count < Self.commandCount else { return close(id) }
        askers[command] = id
        forward(message)
    }

    func networkDidClose(_ id: ConnectionID) { close(id) }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {}

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}
}

// Confined to its event loop: the network's events come there, and every method is called there.
extension ControlRelay: @unchecked Sendable {}
