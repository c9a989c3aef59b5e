import AudioCore
import Controlling
import Discovery
import Glibc
import Households
import NIOCore
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one controller together: local sockets, connections, mDNS if it is needed, and the session.
///
/// Listens on no port and advertises nothing. Confined to its event loop.
final class ControlRunner: PeerNetworkDelegate {
    private let options: ControlOptions
    private let loop: any EventLoop
    private let household: HouseholdConnector
    private let network: PeerNetwork
    private let emit: @Sendable (ControlAnswer) -> Void
    private let done: EventLoopPromise<Void>
    private var session: ControlSession
    private let events = EventSequencer<ControlEvent>()
    private var discovery: PeerDiscovery?
    private var ticker: Scheduled<Void>?
    /// The song that is being sent; -1: none.
    private var song: Int32 = -1
    /// The sockets that are called, and what their programs do.
    private var sockets: [String: LocalSocketDirectory.Role] = [:]

    private static let tick = TimeAmount.milliseconds(5)
    private static let followingTick = TimeAmount.milliseconds(200)

    init(
        options: ControlOptions, identity: Identity, loop: any EventLoop,
        emit: @escaping @Sendable (ControlAnswer) -> Void
    ) {
        self.options = options
        self.loop = loop
        self.emit = emit
        household = HouseholdConnector(identity: identity, loop: loop, emit: { _ in })
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
        let greeting = Greeting(
            roles: .controller, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: identity.name)
        session = ControlSession(
            greeting: greeting, target: options.target, requests: options.requests,
            takesMembersOnly: identity.household?.household != nil, now: .now())
    }

    func run() -> EventLoopFuture<Void> {
        network.delegate = self
        do throws(RuntimeFailure) {
            // One that goes on for long sees who is removed meanwhile.
            if options.requests.contains(.changes) { try household.watchStore() }
            keepTime()
            callLocalPrograms()
        } catch {
            done.fail(error)
        }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    private func keepTime() {
        ticker = loop.scheduleTask(in: session.isFollowing ? Self.followingTick : Self.tick) { [weak self] in
            // In this order: the tick may be the last one.
            self?.keepTime()
            self?.handle(.tick)
        }
    }

    /// Asks for one thing more.
    func request(_ request: ControlRequest) { handle(.request(request)) }

    /// Ends what would otherwise go on.
    func stop() { done.succeed() }

    /// Calls every program of this machine that has a local socket.
    private func callLocalPrograms() {
        if case .address = options.target { return }
        let found = options.localSockets.flatMap { $0.sockets() }.filter { socket in
            switch options.reach {
            case .everywhere: true
            case .socket(let path): socket.role == .broadcast && socket.path == path
            case .thisProcess: socket.role == .broadcast && LocalSocketDirectory.isOfThisProcess(socket.path)
            }
        }
        sockets = Dictionary(found.map { ($0.path, $0.role) }) { first, _ in first }
        let calls = found.prefix(ControlLimits.connectionCount).map { socket in
            network.connectLocally(to: socket.path).flatMapErrorThrowing { error in
                // A program that crashed leaves its socket behind.
                if (error as? IOError)?.errnoCode == ECONNREFUSED { unlink(socket.path) }
            }
        }
        EventLoopFuture.andAllComplete(Array(calls), on: loop).whenComplete { _ in self.handle(.calledLocalPrograms) }
    }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        closeSong()
        let searched = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return searched.flatMap { self.network.shutDown(lingers: false) }.flatMap { self.household.shutDown() }
    }

    private func search() {
        switch options.reach {
        case .everywhere: break
        case .socket: return handle(.searchFailed("the broadcast is over"))
        case .thisProcess: return handle(.searchFailed("this process broadcasts nothing"))
        }
        discovery = PeerDiscovery.search(
            on: loop, found: { [weak self] contact in self?.handle(.contact(contact)) },
            failed: { [weak self] failure in self?.handle(.searchFailed(failure.cause)) })
    }

    private func handle(_ event: ControlEvent) {
        events.pass(event) { event in
            for action in session.handle(event, now: .now()) { perform(action) }
        }
    }

    private func perform(_ action: ControlAction) {
        switch action {
        case .search: search()
        case .dial(let dial): network.dial(dial)
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .close(let id): network.close(id)
        case .answer(let answer): emit(answer)
        case .openSong(let path): openSong(path)
        case .readSong(let byteCount): readSong(byteCount)
        case .finished(.done): done.succeed()
        case .finished(let ending): done.fail(RuntimeFailure(ending.failureKind, .control(ending, options.target)))
        }
    }

    // MARK: The song that is sent

    private func openSong(_ path: String) {
        closeSong()
        var status = stat()
        song = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard song >= 0, fstat(song, &status) == 0 else { return handle(.songFailed(String(cString: strerror(errno)))) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            return handle(.songFailed("it is empty, or no file"))
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        handle(.songOpened(name: name, byteCount: UInt64(status.st_size)))
    }

    private func readSong(_ byteCount: Int) {
        var buffer = ByteBuffer()
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: byteCount) { bytes in
            max(0, read(song, bytes.baseAddress, byteCount))
        }
        handle(count > 0 ? .songRead(buffer) : .songFailed("it cannot be read to its end"))
    }

    private func closeSong() {
        if song >= 0 { close(song) }
        song = -1
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        let origin: ControlSession.Origin =
            dial.map { .dialed($0) } ?? (sockets[address] == .broadcast ? .ownBroadcast : .ownListener)
        handle(.opened(id, origin, address: address))
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) { handle(.dialFailed(dial)) }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding) { handle(.standing(id, standing)) }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }
}

// Confined to its event loop: network, mDNS and the ticker bring their events there.
extension ControlRunner: @unchecked Sendable {}

extension ControlEnding {
    fileprivate var failureKind: RuntimeFailure.Kind {
        switch self {
        case .done: .general
        case .notFound, .noAnswer: .unknownPeer
        case .ambiguous: .usage
        case .broadcastsNothing, .turnedAway, .cannotSearch: .unavailable
        case .notOfHousehold: .notAllowed
        case .refused(_, let refusal): refusal.failureKind
        case .timedOut: .temporary
        case .unreadable: .missingInput
        case .lost, .ended: .lost
        case .brokenProtocol(_, .security(let error)) where error.isEarlyEnd: .lost
        case .brokenProtocol: .incompatible
        }
    }
}

extension CommandRefusal {
    fileprivate var failureKind: RuntimeFailure.Kind {
        switch self {
        case .other: .general
        case .notAllowed, .onlyItself: .notAllowed
        case .nothingPlays, .queueIsEmpty, .liveCannotSeek, .cannotSeek, .listenerRecords: .unavailable
        case .noSuchItem: .missingInput
        case .noSuchListener: .unknownPeer
        case .outOfRange: .usage
        case .queueIsFull, .noRoom, .songTooLong: .cannotCreate
        case .unknownOperation: .incompatible
        case .tooManyCommands, .tooManySongs: .temporary
        case .unplayable: .unusableInput
        }
    }
}
