import AudioCore
import AudioDecoding
import ClockExchange
import ClockSync
import Discovery
import HostSystem
import Households
import Listening
import NIOCore
import NIOPosix
import Peering
import SecureChannel
import SessionExecution
import WireProtocol

/// Wires one listener together: network, mDNS, clock exchange, and the driver of its session.
///
/// Confined to its event loop, except for ``init(options:identity:loop:emit:)``.
final class ListenRunner: PeerNetworkDelegate, ListenTransport {
    private let options: JoinOptions
    private let loop: any EventLoop
    private let network: PeerNetwork
    private let household: HouseholdConnector
    private let keys: PeerKeyPair
    private let greeting: Greeting
    private let makeOutlet: ListenDriver.OutletMaker
    private let isRecorder: Bool
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let rateStore: ClockRateStore
    private let pinKeeper: PinKeeper
    private var driver: ListenDriver?
    private var discovery: DiscoveryBridge?
    private var clock: ClockClientThread?
    /// Of the exchanges so far: what an earlier one found may still be on its way to the event loop.
    private var exchangeCount = 0
    private var relay: ControlRelay?
    private let lookups: LookupResponder

    /// Reports are small, but songs that this machine adds to the broadcast go the same way.
    private static let backlogLimit = 1 << 20

    /// - Parameters:
    ///   - makeQueue: opens the sound device; by default the one in the options.
    ///   - recorder: takes the place of the sound device.
    init(
        options: JoinOptions, identity: Identity, loop: any EventLoop, makeQueue: ListenDriver.QueueMaker? = nil,
        recordingInto recorder: RecordingOutlet? = nil, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.options = options
        self.loop = loop
        self.emit = emit
        keys = identity.keys
        household = HouseholdConnector(identity: identity, loop: loop, emit: emit)
        network = PeerNetwork(loop: loop, keys: keys, household: household, backlogLimit: Self.backlogLimit)
        let rateStore = ClockRateStore(memory: options.memory, loop: loop, emit: emit)
        self.rateStore = rateStore
        pinKeeper = PinKeeper(store: options.pins, loop: loop, emit: emit)
        lookups = LookupResponder(options.lookups, loop: loop)
        isRecorder = recorder != nil
        makeOutlet =
            if let recorder {
                { (events) throws(RuntimeFailure) in
                    recorder.attach(events)
                    return recorder
                }
            } else {
                QueueOutlet.maker(
                    makeQueue ?? options.output.queueMaker(rateStore, waits: options.waitsForOutput),
                    limit: options.volumeLimit)
            }
        greeting = Greeting(
            roles: .listener, peer: identity.peer, instance: identity.instance, started: WallClock.seconds(),
            name: options.name ?? identity.name,
            codecs: DecoderCatalog.complete.codecs.filter { options.codecs?.contains($0) ?? true }
                .sorted { $0.rawValue < $1.rawValue })
    }

    /// Opens the sound device and the port, and looks for a broadcast. Completes with the outcome.
    func run() -> EventLoopFuture<ListenOutcome> {
        network.delegate = self
        do throws(RuntimeFailure) {
            var configuration = ListenConfiguration(greeting: greeting)
            configuration.allowedNames = options.from
            configuration.access = access
            configuration.address = options.address
            configuration.once = options.once
            configuration.isRecorder = isRecorder
            let driver = try ListenDriver(
                loop: loop, configuration: configuration, transport: self, makeOutlet: makeOutlet,
                settings: .remembered(
                    volume: options.volume.map { min($0, options.volumeLimit.highest) }, role: options.role,
                    offset: options.offset),
                limit: options.volumeLimit, rateStore: rateStore, statusInterval: options.statusInterval, emit: emit)
            self.driver = driver
        } catch {
            return loop.makeFailedFuture(error)
        }
        return network.listen(options.network, toFind: options.address, emit: emit).flatMap { port in
            self.begin(port: port)
        }
        .flatMapError { error in
            self.tearDown().flatMap { self.loop.makeFailedFuture(error) }
        }
    }

    private func begin(port: UInt16) -> EventLoopFuture<ListenOutcome> {
        guard let driver else { return loop.makeSucceededFuture(.stopped) }
        emit(.notice(.network(.listening(tcpPort: port, clockPort: nil))))
        driver.noteStart(.ports)
        emit(.notice(.household(household.notice)))
        if options.network.usesDiscovery {
            let record = PeerRecord(
                id: greeting.peer, instance: greeting.instance, name: greeting.name, roles: .listener,
                protocolVersion: UInt32(Preamble.version))
            discovery = DiscoveryBridge(record: record, port: port, loop: loop) { [weak self] in self?.found($0) }
        }
        offerLocalSocket(driver)
        pinKeeper.onChange = { [weak driver] in driver?.handle(.pins($0)) }
        pinKeeper.load()
        do throws(RuntimeFailure) { try household.watchStore() } catch { return loop.makeFailedFuture(error) }
        driver.start()
        return driver.outcome.flatMap { outcome in self.tearDown().map { outcome } }
    }

    private var access: AccessPolicy { household.policy(options.network.access) }

    /// Fades out, says goodbye and ends.
    func stop() { driver?.handle(.stop) }

    func perform(_ command: LoudspeakerCommand) { driver?.perform(command) }

    /// Commands the broadcast that is heard, if there is one.
    func perform(_ operation: ProgrammeOperation) { driver?.handle(.ask(.command(Command(.programme(operation))))) }

    private func offerLocalSocket(_ driver: ListenDriver) {
        let relay = ControlRelay(
            loop: loop, keys: keys, broadcaster: { [weak driver] in driver?.broadcaster },
            forward: { [weak driver] in driver?.handle(.ask($0)) })
        self.relay = relay
        relay.listen(options.network, emit: emit)
        driver.onAnswer = { [weak relay, emit] answer in
            // What nobody asked for by the socket answers a key of this listener's terminal.
            guard relay?.pass(answer) == false, case .outcome(let outcome) = answer, !outcome.text.isEmpty else {
                return
            }
            emit(.notice(.command(outcome)))
        }
    }

    private func tearDown() -> EventLoopFuture<Void> {
        // If the sound device was lost, the broadcaster has not been told yet; and shutting down the network must not
        // look like the loss of a broadcaster.
        driver?.handle(.stop)
        stopClock()
        let goodbye = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        let silence = relay?.shutDown() ?? loop.makeSucceededVoidFuture()
        relay = nil
        return goodbye.and(silence).flatMap { _ in self.network.shutDown() }.map {
            self.driver?.close()
            self.driver = nil
        }.flatMap { self.rateStore.flush().and(self.pinKeeper.close()).and(self.lookups.shutDown()) }
            .flatMap { _ in self.household.shutDown() }
    }

    private func found(_ finding: DiscoveryBridge.Finding) {
        switch finding {
        case .contact(let contact): driver?.handle(.contact(contact))
        case .lost(let key): driver?.handle(.contactLost(key))
        case .notice(let notice):
            if notice == .mDNSAvailable { driver?.noteStart(.discovery) }
            emit(.notice(.network(notice)))
        case .renamed(let newName):
            emit(.notice(.network(.nameTaken(greeting.name, instead: newName))))
            driver?.handle(.renamed(newName))
        }
    }

    // MARK: PeerNetworkDelegate

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        driver?.handle(.opened(id, direction, address: address, dial: dial))
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {
        driver?.handle(.dialFailed(dial, failure))
    }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        driver?.handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding) { driver?.handle(.standing(id, standing)) }

    func networkDidChangeHousehold() {
        emit(.notice(.household(household.notice)))
        let standing = driver?.broadcasterKey.flatMap { household.standing(of: $0) }
        driver?.handle(.access(access, broadcaster: standing))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { driver?.handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { driver?.handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

    func networkDidClose(_ id: ConnectionID) { driver?.handle(.closed(id)) }

    // MARK: ListenTransport

    func dial(_ dial: Dialer.Dial) { network.dial(dial) }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) { network.send(bytes, to: id) }

    func close(_ id: ConnectionID) { network.close(id) }

    func abort(_ id: ConnectionID) { network.abort(id) }

    func startClock(_ id: ConnectionID, port: UInt16, key: ClockKey, peer: UUIDBytes, prior: SkewPrior?) {
        stopClock()
        guard let host = network.remoteHost(id), let address = DatagramAddress(numericHost: host, port: port) else {
            return
        }
        let loop = loop
        do throws(ClockExchangeError) {
            // What was measured a moment ago is worth more than what is remembered.
            let remembered = rateStore.beginExchange(with: peer)
            let prior = prior ?? remembered
            exchangeCount += 1
            let number = exchangeCount
            clock = try ClockClientThread(address: address, key: key, prior: prior) { [weak self] _ in
                loop.execute { [weak self] in
                    guard let self, exchangeCount == number, let estimate = takeEstimate() else { return }
                    driver?.handle(.clock(estimate))
                }
            }
        } catch {
            emit(.notice(.network(.noClockExchange(host: host, error))))
        }
    }

    func stopClock() {
        clock?.stop()
        clock = nil
        exchangeCount += 1
        rateStore.endExchange()
    }

    func takeEstimate() -> ClockEstimate? {
        guard let estimate = clock?.takeEstimate() else { return nil }
        rateStore.note(estimate, now: .now())
        #if WallClockCanary
            return estimate.trustingTheWallClock
        #else
            return estimate
        #endif
    }

    func restartClock() { clock?.startAnew() }

    func broadcasterDidChange() { relay?.review() }

    func lookUp(_ lookup: Lookup, for id: ConnectionID) {
        lookups.answer(lookup, MusicLookup(lookup.subject, ofSong: nil)) { [weak self] in
            self?.driver?.handle(.found(id, $0))
        }
    }

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {
        household.receive(document: document, from: id)
    }

    func didMeet(_ peer: MetPeer) { pinKeeper.note(peer) }

    func watchPins() { pinKeeper.watchStore() }
}

// Confined to its event loop, to which NIO, mDNS and the clock thread bring their events.
extension ListenRunner: @unchecked Sendable {}

#if WallClockCanary
    extension ClockEstimate {
        /// The mistake that the end-to-end test must catch: session time taken from this host's wall clock.
        fileprivate var trustingTheWallClock: ClockEstimate {
            var estimate = self
            let host = mapping.host
            estimate.mapping = ClockMapping(
                host: host, session: ClockMapping.identity.session(at: host), skew: .zero)
            return estimate
        }
    }
#endif
