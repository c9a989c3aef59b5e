import AudioCore
import AudioDecoding
import Broadcasting
import ClockExchange
import ClockSync
import Discovery
import HostSystem
import Households
import NIOCore
import NIOPosix
import Peering
import Programmes
import SecureChannel
import SessionExecution
import Songs
import WireProtocol

/// Wires one broadcast together: the songs' readers, network, mDNS, clock responder, and the session.
///
/// Confined to its event loop.
final class BroadcastRunner: PeerNetworkDelegate {
    private let options: BroadcastOptions
    private let loop: any EventLoop
    private let network: PeerNetwork
    private let household: HouseholdConnector
    private let identity: Identity
    private let started = WallClock.seconds()
    /// For the own loudspeakers, and for listeners that cannot decode the song.
    private let decoders: DecoderCatalog
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let done: EventLoopPromise<BroadcastOutcome>
    private var executor: BroadcastExecutor?
    private let items: [NewItem]
    private let sources: BroadcastSources
    private let spool: SongSpool
    private let describer: SongDescriber
    private let pinKeeper: PinKeeper
    /// Why songs were passed over.
    private var failures: [RuntimeFailure] = []
    private let transcoding: BroadcastTranscoding
    private var responder: ClockResponderThread?
    private let lookups: LookupResponder
    private var discovery: DiscoveryBridge?
    /// The name under which mDNS publishes the broadcast if its own was taken.
    private var nameInstead: String?
    /// Where the page for browsers is; it may be there before the session.
    private var page: PageLocation?
    private var local: LocalListener?
    let browsers = BrowserLines()
    private let browserNumbers = BrowserNumbers()
    private var localFailure: (any Error)?
    /// Whether a stop was requested before there was a session.
    private var isStopping = false
    private var timer: NIOScheduledCallback?
    private var display = BroadcastDisplay()

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

    private var access: AccessPolicy { household.policy(options.network.access) }

    /// Whether other machines may add songs now.
    private var acceptsSongs: Bool {
        options.acceptsSongs || options.acceptsSongsOfHousehold && household.household != nil
    }

    private var name: String { options.name ?? identity.name }

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
        household.watchStore()
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

    private func playHere(_ local: LocalListener) {
        local.onBytes = { [weak self] id, bytes in self?.handle(.received(id, bytes)) }
        local.onClose = { [weak self] id in self?.handle(.closed(id)) }
        local.onFailure = { [weak self] failure in self?.lostOwnLoudspeakers(failure) }
        local.start()
        handle(.opened(LocalListener.connection, .local, address: "this machine", dial: nil, key: freshKey()))
    }

    /// Handles the loss of the own sound device: the listeners play on, and the failure is reported at the end.
    private func lostOwnLoudspeakers(_ failure: any Error) {
        localFailure = failure
        let known = failure as? RuntimeFailure ?? RuntimeFailure(.general, .other("\(failure)"))
        emit(.notice(.ownLoudspeakersLost(known)))
        handle(.closed(LocalListener.connection))
        local?.close()
        local = nil
    }

    private func startDiscovery(_ greeting: Greeting, port: UInt16) {
        let record = PeerRecord(
            id: greeting.peer, instance: greeting.instance, name: greeting.name, roles: .broadcaster,
            protocolVersion: UInt32(Preamble.version),
            startedUnixMilliseconds: UInt64(clamping: started * 1_000))
        discovery = DiscoveryBridge(record: record, port: port, loop: loop) { [weak self] in self?.found($0) }
        advertisePage()
    }

    private func advertisePage() {
        discovery?.advertise(
            page: page.map { PageAdvertisement(name: nameInstead ?? name, port: $0.port, isSecure: $0.scheme != .http) }
        )
    }

    private func freshKey() -> ClockKey {
        var generator = SystemRandomNumberGenerator()
        return ClockKey.random(using: &generator)
    }

    /// Tells the listeners that the broadcast was stopped, and ends.
    func stop() {
        isStopping = true
        handle(.stop)
    }

    /// Changes how the own loudspeakers play; the volume of the group if there are none.
    func perform(_ command: LoudspeakerCommand) {
        guard let local else {
            if let change = command.volumeChange { perform(.listeners(.volume(change), of: .all)) }
            return
        }
        guard executor?.session.tickInterval != nil else { return }
        local.perform(command)
        emitStatus()
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
    private func handle(_ event: BroadcastEvent) { executor?.handle(event) }

    // MARK: What happens

    private func found(_ finding: DiscoveryBridge.Finding) {
        switch finding {
        case .contact(let contact): handle(.contact(contact))
        case .lost(let key): handle(.contactLost(key))
        case .notice(let notice): emit(.notice(.network(notice)))
        case .renamed(let newName):
            emit(.notice(.network(.nameTaken(name, instead: newName))))
            nameInstead = newName
            advertisePage()
            handle(.renamed(newName))
        }
    }

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        handle(.opened(id, direction, address: address, dial: dial, key: freshKey()))
        network.measureRoundTrip(of: id) { self.handle(.roundTrip(id, $0)) }
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {
        handle(.dialFailed(dial, failure))
    }

    func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {
        handle(.authenticated(id, peer.key, peer.standing))
    }

    func networkDidChange(_ id: ConnectionID, _ standing: PeerStanding) { handle(.standing(id, standing)) }

    func networkDidChangeHousehold() {
        emit(.notice(.household(household.notice)))
        handle(.access(access))
        handle(.acceptance(ofSongs: acceptsSongs))
    }

    func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) { handle(.broken(id, error)) }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) { handle(.wrote(id, byteCount: byteCount)) }

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }

    // MARK: Browsers

    func newBrowserID() -> ConnectionID { browserNumbers.next() }

    private func take(_ event: BrowserLines.Event) {
        switch event {
        case .opened(let id, let instance, let address):
            handle(.opened(id, .browser(instance: instance), address: address, dial: nil, key: freshKey()))
        case .received(let id, let bytes): handle(.received(id, bytes))
        case .wrote(let id, let byteCount): handle(.wrote(id, byteCount: byteCount))
        case .broken(let id, let error): handle(.broken(id, error))
        case .closed(let id): handle(.closed(id))
        }
    }

    func notePage(_ location: PageLocation?) {
        page = location
        advertisePage()
        handle(.page(location))
    }

    // MARK: For display

    private func emitStatus() {
        guard let session = executor?.session else { return }
        let wasShown = display.isShown
        guard let status = display.status(of: session, name: name, loudspeakers: local?.loudspeakers, now: .now())
        else { return }
        if !wasShown { emit(.notice(.household(household.notice))) }
        emit(.broadcast(status))
    }

    /// - Parameter end: where the broadcast came to if it was played out.
    private func emitLastStatus(end: FramePosition?) {
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
        if let epoch = executor?.session.heardEpoch(.now()) { spool.noteHeard(epoch: epoch.number) }
        if executor?.session.tickInterval != nil, display.isDue(.now()) { emitStatus() }
    }
}

extension BroadcastRunner: BroadcastEnvironment {
    var now: HostTime { .now() }

    var sleepReading: SleepReading { .now() }

    func startTimer(_ span: TimeSpan) {
        // Fails once the loop has ended, when nobody needs it.
        timer = try? loop.scheduleCallback(in: .nanoseconds(span.nanoseconds), handler: self)
    }

    func dial(_ dial: Dialer.Dial) { network.dial(dial) }

    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        if browsers.send(bytes, to: id) { return }
        guard id == LocalListener.connection else { return network.send(bytes, to: id) }
        local?.receive(bytes)
        loop.execute { self.handle(.wrote(id, byteCount: bytes.readableBytes)) }
    }

    func close(_ id: ConnectionID) {
        if browsers.close(id) { return }
        guard id == LocalListener.connection else { return network.close(id) }
        local?.disconnect()
    }

    func addKey(_ key: ClockKey) { responder?.register(key) }

    func removeKey(_ key: ClockKey) { responder?.unregister(keyIdentifier: key.identifier) }

    func openSource(_ request: SourceRequest) {
        let epoch = request.epoch.number
        switch request.origin {
        case .location(.sent(let song)): spool.noteOpened(song, epoch: epoch)
        case .sameSource(let former): spool.noteOpened(next: epoch, after: former.number)
        case .sameSong(let former):
            spool.noteOpened(next: epoch, after: former.number)
            spool.noteClosed(epoch: former.number)
        case .location: break
        }
        sources.open(request)
    }

    func readSource(_ epoch: Epoch) { sources.read(epoch) }

    func closeSource(_ epoch: Epoch) {
        sources.close(epoch)
        spool.noteClosed(epoch: epoch.number)
    }

    func transcode(_ request: TranscodingRequest) { transcoding.transcode(request) }

    func endTranscoding() { transcoding.release() }

    func openSpool(_ offer: SongOffer) { spool.open(offer) }

    func writeSpool(_ bytes: SongBytes) { spool.write(bytes) }

    func closeSpool(_ id: CommandID) { spool.close(id) }

    func lookUp(_ lookup: Lookup, about item: ItemLocation?, for id: ConnectionID) {
        let path = item.flatMap { sources.path(of: $0) }
        lookups.answer(lookup, MusicLookup(lookup.subject, ofSong: path)) { [weak self] in self?.handle(.found(id, $0))
        }
    }

    func describe(_ item: ItemID, at location: ItemLocation) {
        guard let path = sources.pathToDescribe(location) else { return handle(.described(item, nil)) }
        if case .sent(let song) = location { spool.noteDescribed(song) }
        describer.describe(path) { [weak self] description in
            self?.spool.noteDescribed(nil)
            self?.handle(.described(item, description))
        }
    }

    func didReceive(household document: ByteBuffer, from id: ConnectionID) {
        household.receive(document: document, from: id)
    }

    func didMeet(_ peer: MetPeer) { pinKeeper.note(peer) }

    func watchPins() { pinKeeper.watchStore() }

    func broadcastDidChange() { emitStatus() }

    func broadcastDidTell(_ notice: BroadcastNotice) {
        guard case .songPassedOver(let epoch, let text) = notice else { return emit(.notice(.broadcast(notice))) }
        passedOver(sources.failure(of: epoch) ?? RuntimeFailure(.unusableInput, .source(text)))
    }

    private func passedOver(_ failure: RuntimeFailure) {
        failures.append(failure)
        emit(.notice(.song(.passedOver(failure))))
    }

    func answer(_ outcome: CommandOutcome, to asker: Asker) {
        if !outcome.text.isEmpty { emit(.notice(.command(outcome))) }
    }

    func machineDidSleep(for span: TimeSpan) { emit(.notice(.slept(span))) }

    func broadcastDidFinish(_ outcome: BroadcastOutcome) {
        timer?.cancel()
        emitLastStatus(end: outcome == .completed ? executor?.session.end : nil)
        switch outcome {
        case .completed:
            if let failure = localFailure ?? songsFailure { done.fail(failure) } else { done.succeed(outcome) }
        case .stopped: done.succeed(outcome)
        case .brokenOff(let text): done.fail(songFailure(text))
        case .unplayable(let text):
            let failure = songFailure(text ?? "it has no audio")
            if !failures.isEmpty { passedOver(failure) }
            done.fail(songsFailure ?? failure)
        case .nobody(let names):
            done.fail(RuntimeFailure(.unknownPeer, .noListener(names: names)))
        }
    }

    /// Why the song that came last failed.
    private func songFailure(_ text: String) -> RuntimeFailure {
        sources.lastFailure ?? RuntimeFailure(.unusableInput, .source(text))
    }

    /// How many songs could not be played; nil if all could.
    private var songsFailure: RuntimeFailure? {
        guard let first = failures.first, let session = executor?.session else { return nil }
        return RuntimeFailure(first.kind, .songsFailed(count: failures.count, of: session.songCount))
    }
}
