import AudioCore
import AudioDecoding
import Broadcasting
import ClockExchange
import ClockSync
import HostSystem
import Households
import NIOCore
import NIOPosix
import Peering
import Programmes
import SessionExecution
import WireProtocol

/// Wires one broadcast together: the songs' readers, network, mDNS, clock responder, and the session.
///
/// Confined to its event loop.
final class BroadcastRunner {
    private let options: BroadcastOptions
    let loop: any EventLoop
    let network: PeerNetwork
    let household: HouseholdConnector
    private let identity: Identity
    let started = WallClock.seconds()
    /// For the own loudspeakers, and for listeners that cannot decode the song.
    private let decoders: DecoderCatalog
    let emit: @Sendable (RuntimeEvent) -> Void
    let done: EventLoopPromise<BroadcastOutcome>
    var executor: BroadcastExecutor?
    private let items: [NewItem]
    let sources: BroadcastSources
    let spool: SongSpool
    let describer: SongDescriber
    let pinKeeper: PinKeeper
    /// Why songs were passed over.
    var failures: [RuntimeFailure] = []
    let transcoding: BroadcastTranscoding
    var responder: ClockResponderThread?
    let lookups: LookupResponder
    var discovery: DiscoveryBridge?
    /// The name under which mDNS publishes the broadcast if its own was taken.
    var nameInstead: String?
    /// Where the page for browsers is; it may be there before the session.
    var page: PageLocation?
    var local: LocalListener?
    let browsers = BrowserLines()
    let browserNumbers = BrowserNumbers()
    var localFailure: (any Error)?
    /// Whether a stop was requested before there was a session.
    private var isStopping = false
    var timer: NIOScheduledCallback?
    private var display = BroadcastDisplay()
    /// Of the first song that is heard; nil once that was told.
    private var startTimeline: StartTimeline? = StartTimeline()

    init(
        items: [NewItem], options: BroadcastOptions, identity: Identity, loop: any EventLoop,
        decoders: DecoderCatalog = .complete,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.decoders = decoders
        self.options = options
        self.identity = identity
        self.loop = loop
        self.emit = emit
        self.items = items
        sources = BroadcastSources(options, items: items, loop: loop, emit: emit)
        spool = SongSpool(loop: loop)
        describer = SongDescriber(loop: loop)
        transcoding = BroadcastTranscoding(decoders: decoders, loop: loop)
        lookups = LookupResponder(options.lookups, loop: loop)
        pinKeeper = PinKeeper(store: options.pins, loop: loop, emit: emit)
        household = HouseholdConnector(identity: identity, loop: loop, emit: emit)
        network = PeerNetwork(loop: loop, keys: identity.keys, household: household)
        done = loop.makePromise()
    }

    var access: AccessPolicy { household.policy(options.network.access) }

    /// Whether other machines may add songs now.
    var acceptsSongs: Bool {
        options.acceptsSongs || options.acceptsSongsOfHousehold && household.household != nil
    }

    var name: String { options.name ?? identity.name }

    /// Opens the ports and, if asked, the sound device, and begins. Completes with the outcome.
    func run() -> EventLoopFuture<BroadcastOutcome> {
        network.delegate = self
        DescriptorLimit.raise()
        do throws(RuntimeFailure) {
            try sources.check(items)
        } catch {
            done.fail(error)
            return done.futureResult
        }
        sources.handler = { [weak self] epoch, event in self?.handle(.source(epoch, event)) }
        transcoding.handler = { [weak self] in self?.handle(.transcoded($0)) }
        spool.handler = { [weak self] id, event in self?.handle(.spool(id, event)) }
        spool.isQueued = { [weak self] song in self?.executor?.session.isQueued(song) ?? false }
        sources.pathOfSentSong = { [spool] song in spool.path(of: song) }
        network.listen(options.network, emit: emit).flatMapThrowing { port in try self.begin(port: port) }
            .whenFailure { self.done.fail($0) }
        return done.futureResult.afterTearDown { self.tearDown() }
    }

    private func makeProgramme() throws(RuntimeFailure) -> Programme {
        var programme = Programme(seed: UInt64.random(in: .min ... .max))
        do throws(CommandRefusal) {
            _ = try programme.insert(items, at: 0)
            _ = try programme.apply(.setRepeat(options.modes.repeats))
            _ = try programme.apply(.setShuffle(options.modes.isShuffled))
            if !items.isEmpty { _ = try programme.apply(.play) }
        } catch {
            throw RuntimeFailure(.unusableInput, .other("\(error)"))
        }
        return programme
    }

    private func begin(port: UInt16) throws(RuntimeFailure) {
        let responder = try openResponder(beside: port)
        self.responder = responder
        emit(.notice(.network(.listening(tcpPort: port, clockPort: responder.port))))
        startTimeline?.note(.ports)
        let greeting = Greeting(
            roles: .broadcaster, peer: identity.peer, instance: identity.instance, started: started, name: name)
        var configuration = BroadcastConfiguration(greeting: greeting, clockPort: responder.port)
        configuration.programme = try makeProgramme()
        configuration.staysIdle = options.staysIdle
        configuration.access = access
        configuration.acceptsSongs = acceptsSongs
        configuration.loudness = options.loudness
        configuration.start =
            switch options.start {
            case .now: .now
            case .whenReady(let count): .whenReady(listeners: count)
            }
        configuration.allowedNames = options.to
        configuration.startDelay = options.startDelay
        configuration.searches = options.network.usesDiscovery && options.listeners.isEmpty
        configuration.liveLatency = options.capture?.latency
        configuration.decodableCodecs = decoders.codecs
        if let output = options.output {
            let local = try LocalListener(
                name: name, identity: identity, output: output, settings: options.loudspeakers, memory: options.memory,
                decoders: decoders, loop: loop, emit: emit)
            configuration.ownListener = local.instance
            self.local = local
        }
        let executor = BroadcastExecutor(configuration: configuration)
        executor.environment = self
        self.executor = executor
        browsers.handler = { [weak self] in self?.take($0) }
        browsers.begin()
        pinKeeper.onChange = { [weak self] in self?.handle(.pins($0)) }
        pinKeeper.load()
        try household.watchStore()
        if let local { playHere(local) }
        for address in options.listeners { handle(.contact(PeerContact(address: address))) }
        if options.network.usesDiscovery { startDiscovery(greeting, port: port) }
        executor.start()
        if page != nil { notePage(page) }
        network.listenLocally(options.network, .broadcast, emit: emit)
        if isStopping { handle(.stop) }
    }

    /// Opens the UDP port of the same number if it is free, else any.
    private func openResponder(beside port: UInt16) throws(RuntimeFailure) -> ClockResponderThread {
        if let responder = try? ClockResponderThread(port: port) { return responder }
        guard options.network.port == nil else {
            throw RuntimeFailure(.unavailable, .clockPortInUse(port))
        }
        do throws(ClockExchangeError) {
            return try ClockResponderThread(port: 0)
        } catch {
            throw RuntimeFailure(.unavailable, .noClockPort(error))
        }
    }

    func freshKey() -> ClockKey {
        var generator = SystemRandomNumberGenerator()
        return ClockKey.random(using: &generator)
    }

    /// Tells the listeners that the broadcast was stopped, and ends.
    func stop() {
        isStopping = true
        handle(.stop)
    }

    /// Commands the broadcast, for its own user.
    func perform(_ operation: CommandOperation) {
        handle(.command(Command(operation), Asker(number: 0, name: name)))
    }

    private func tearDown() -> EventLoopFuture<Void> {
        timer?.cancel()
        sources.closeAll()
        let written = describer.shutDown().flatMap { self.spool.closeAll() }
        transcoding.stop()
        let silence = local?.fallSilent() ?? loop.makeSucceededVoidFuture()
        let goodbye = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        browsers.end()
        return silence.and(goodbye).and(written).flatMap { _ in self.network.shutDown() }.map {
            self.responder?.stop()
            self.local?.close()
            self.local = nil
        }.flatMap { self.lookups.shutDown().and(self.pinKeeper.close()) }.flatMap { _ in self.household.shutDown() }
    }

    /// Passes an event to the session; has no effect before there is one.
    func handle(_ event: BroadcastEvent) {
        executor?.handle(event)
        noteStart(after: event)
    }

    // MARK: The start

    /// Notes that something had been done on the way to the first sound.
    func noteStart(_ stage: StartTimeline.Stage) { startTimeline?.note(stage) }

    private func noteStart(after event: BroadcastEvent?) {
        guard startTimeline != nil, let session = executor?.session, startTimeline?.note(event, session) == true,
            let told = startTimeline
        else { return }
        startTimeline = nil
        emit(.notice(.start(told.sorted)))
    }

    // MARK: For display

    func emitStatus() {
        guard let session = executor?.session else { return }
        let wasShown = display.isShown
        guard let status = display.status(of: session, name: name, loudspeakers: local?.loudspeakers, now: .now())
        else { return }
        if !wasShown { emit(.notice(.household(household.notice))) }
        emit(.broadcast(status))
    }

    /// - Parameter end: where the broadcast came to if it was played out.
    func emitLastStatus(end: FramePosition?) {
        guard let session = executor?.session else { return }
        let status = display.lastStatus(of: session, name: name, loudspeakers: local?.loudspeakers, end: end)
        if let status { emit(.broadcast(status)) }
    }
}

// Confined to its event loop, to which NIO, mDNS and the reader bring their events.
extension BroadcastRunner: @unchecked Sendable {}

extension BroadcastRunner: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) {
        executor?.timerDidFire()
        noteStart(after: nil)
        if let epoch = executor?.session.heardEpoch(.now()) { spool.noteHeard(epoch: epoch.number) }
        if executor?.session.tickInterval != nil, display.isDue(.now()) { emitStatus() }
    }
}
