import AudioCore
import AudioDecoding
import Broadcasting
import ClockExchange
import ClockSync
import HostSystem
import NIOCore
import NIOPosix
import PeerDiscovery
import Peering
import SongReading
import WireProtocol

/// Wires one broadcast together: the song's reader, network, mDNS, clock responder, and its session.
///
/// Confined to its event loop.
final class BroadcastRunner: PeerNetworkDelegate {
    private let options: BroadcastOptions
    private let loop: any EventLoop
    private let network: PeerNetwork
    private let identity: Identity
    private let started = WallClock.seconds()
    /// Of the own loudspeakers, and for listeners that cannot decode the song themselves.
    private let decoders: DecoderCatalog
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let done: EventLoopPromise<BroadcastOutcome>
    private var session: BroadcastSession?
    private let events = EventSequencer<BroadcastEvent>()
    private var reader: SongReader?
    /// Where a source goes, and comes from, that holds several songs.
    private let handover: SongHandover?
    private var capture: CaptureSource?
    private var transcoding: TranscodingThread?
    private var responder: ClockResponderThread?
    private var discovery: DiscoveryBridge?
    private var local: LocalListener?
    private var localFailure: (any Error)?
    /// Whether somebody asked to stop before there was a session.
    private var isStopping = false
    private var ticker: NIOScheduledCallback?
    private var nextStatus = HostTime(nanoseconds: 0)
    private var sleepDetector = SleepDetector()
    /// Where the song is, for display; stays when it is over.
    private var position = FramePosition.zero

    private static let statusInterval = TimeSpan.milliseconds(200)

    init(
        options: BroadcastOptions, identity: Identity, loop: any EventLoop,
        decoders: DecoderCatalog = .complete, handover: SongHandover? = nil,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.handover = handover
        self.decoders = decoders
        self.options = options
        self.identity = identity
        self.loop = loop
        self.emit = emit
        network = PeerNetwork(loop: loop)
        done = loop.makePromise()
    }

    private var name: String { options.name ?? identity.name }

    /// Opens the song, the ports and, if asked, the sound device, and begins. The outcome comes when it is over.
    func run() -> EventLoopFuture<BroadcastOutcome> {
        network.delegate = self
        DescriptorLimit.raise()
        do throws(RuntimeFailure) {
            try openSource { [weak self, loop] event in
                loop.execute { [weak self] in self?.handle(.source(event)) }
            }
        } catch {
            done.fail(error)
            return done.futureResult
        }
        network.listen(options.network, emit: emit).flatMapThrowing { port in try self.begin(port: port) }
            .whenFailure { self.done.fail($0) }
        return done.futureResult.flatMap { outcome in self.tearDown().map { outcome } }
            .flatMapError { error in self.tearDown().flatMap { self.loop.makeFailedFuture(error) } }
    }

    private func openSource(_ handler: @escaping @Sendable (SourceEvent) -> Void) throws(RuntimeFailure) {
        if let options = options.capture {
            capture = try CaptureSource(options, handler: handler) { [loop, emit] notice in
                loop.execute { emit(.notice(.device(notice))) }
            }
        } else if let next = handover?.take() {
            reader = next
            next.beginNext(handler)
        } else {
            reader = try SongReader(options.path, raw: options.raw, handler: handler)
        }
    }

    private func begin(port: UInt16) throws(RuntimeFailure) {
        let responder = try openResponder(beside: port)
        self.responder = responder
        emit(.notice(.network(.listening(tcpPort: port, clockPort: responder.port))))
        let greeting = Greeting(
            roles: .broadcaster, peer: identity.peer, instance: identity.instance, started: started, name: name)
        var configuration = BroadcastConfiguration(greeting: greeting, clockPort: responder.port)
        configuration.fallbackTitle = (try? SongAddress(options.path))?.title ?? "untitled"
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
                name: name, identity: identity, output: output, memory: options.memory, decoders: decoders, loop: loop,
                emit: emit)
            configuration.ownListener = local.instance
            self.local = local
        }
        session = BroadcastSession(configuration: configuration)
        if let local { playHere(local) }
        for address in options.listeners { handle(.contact(PeerContact(address: address))) }
        if options.network.usesDiscovery { startDiscovery(greeting, port: port) }
        try capture?.start()
        onTick()
        if isStopping { handle(.stop) }
    }

    /// The UDP port of the same number where it is free, else any.
    private func openResponder(beside port: UInt16) throws(RuntimeFailure) -> ClockResponderThread {
        if let responder = try? ClockResponderThread(port: port) { return responder }
        guard options.network.port == nil else {
            throw RuntimeFailure(
                .unavailable, "UDP port \(port) is in use; choose another with --port, or leave it out")
        }
        do throws(ClockExchangeError) {
            return try ClockResponderThread(port: 0)
        } catch {
            throw RuntimeFailure(.unavailable, "no UDP port for the clock: \(error)")
        }
    }

    private func playHere(_ local: LocalListener) {
        local.onBytes = { [weak self] id, bytes in self?.handle(.received(id, bytes)) }
        local.onClose = { [weak self] id in self?.handle(.closed(id)) }
        local.onFailure = { [weak self] failure in self?.lostOwnLoudspeakers(failure) }
        local.start()
        handle(.opened(LocalListener.connection, .accepted, address: "this machine", dial: nil, key: freshKey()))
    }

    /// The own sound device is gone: the listeners play on, and the failure is told at the end.
    private func lostOwnLoudspeakers(_ failure: any Error) {
        localFailure = failure
        emit(.notice(.ownLoudspeakersLost(failure as? RuntimeFailure ?? RuntimeFailure(.general, "\(failure)"))))
        handle(.closed(LocalListener.connection))
        local?.close()
        local = nil
    }

    private func startDiscovery(_ greeting: Greeting, port: UInt16) {
        let record = PeerRecord(
            id: greeting.peer, instance: greeting.instance, name: greeting.name, roles: .broadcaster,
            protocolVersion: UInt32(Preamble.version), activity: .waiting,
            startedUnixMilliseconds: UInt64(clamping: started * 1_000))
        discovery = DiscoveryBridge(record: record, port: port, loop: loop) { [weak self] in self?.found($0) }
    }

    private func freshKey() -> ClockKey {
        var generator = SystemRandomNumberGenerator()
        return ClockKey.random(using: &generator)
    }

    /// Tells the listeners that it was stopped, and ends.
    func stop() {
        isStopping = true
        if session != nil { handle(.stop) }
    }

    private func tearDown() -> EventLoopFuture<Void> {
        ticker?.cancel()
        leaveSource()
        capture?.stop()
        transcoding?.stop()
        let silence = local?.fallSilent() ?? loop.makeSucceededVoidFuture()
        let goodbye = discovery?.stop(on: loop) ?? loop.makeSucceededVoidFuture()
        discovery = nil
        return silence.and(goodbye).flatMap { _ in self.network.shutDown() }.map {
            self.responder?.stop()
            self.local?.close()
            self.local = nil
        }
    }

    /// What else it holds is another broadcast's.
    private func leaveSource() {
        guard let reader else { return }
        if let handover, reader.hasNext {
            reader.rest()
            handover.put(reader)
        } else {
            reader.stop()
        }
        self.reader = nil
    }

    private func handle(_ event: BroadcastEvent) {
        events.pass(event) { event in
            for action in session?.handle(event, now: .now()) ?? [] { perform(action) }
        }
    }

    private func perform(_ action: BroadcastAction) {
        switch action {
        case .dial(let dial): network.dial(dial)
        case .send(LocalListener.connection, let bytes):
            let byteCount = bytes.readableBytes
            local?.receive(bytes)
            loop.execute { self.handle(.wrote(LocalListener.connection, byteCount: byteCount)) }
        case .send(let id, let bytes): network.send(bytes, to: id)
        case .sendClock(let id, let reply):
            let transmit = ClockMapping.identity.session(at: .now())
            perform(.send(id, WireEncoder.clock(reply.bytes(transmit: transmit))))
        case .close(LocalListener.connection): local?.disconnect()
        case .close(let id): network.close(id)
        case .addKey(let key): responder?.register(key)
        case .removeKey(let key): responder?.unregister(keyIdentifier: key.identifier)
        case .readSource: reader?.read()
        case .transcode(let request): transcode(request)
        case .endTranscoding: transcoding?.release()
        case .advertise: advertise()
        case .notice(let notice): emit(.notice(.broadcast(notice)))
        case .finished(let outcome): finish(outcome)
        }
    }

    /// The thread is made for the first listener that needs it.
    private func transcode(_ request: TranscodingRequest) {
        do throws(RuntimeFailure) {
            if transcoding == nil {
                transcoding = try TranscodingThread(decoders: decoders) { [weak self, loop] reply in
                    loop.execute { [weak self] in self?.handle(.transcoded(reply)) }
                }
            }
            transcoding?.transcode(request)
        } catch {
            let reply = TranscodingReply(rendition: request.rendition, outcome: .failed(error.message))
            loop.execute { self.handle(.transcoded(reply)) }
        }
    }

    private func advertise() {
        guard let session else { return }
        discovery?.advertise(
            session.isPlaying ? .playing : .waiting, playing: session.summary.info[.title] ?? "")
    }

    private func finish(_ outcome: BroadcastOutcome) {
        ticker?.cancel()
        if outcome == .completed, let end = session?.end { position = end }
        emitStatus(isOver: true)
        switch outcome {
        case .completed: if let localFailure { done.fail(localFailure) } else { done.succeed(outcome) }
        case .stopped: done.succeed(outcome)
        case .brokenOff(let text): done.fail(sourceFailure(text))
        case .unplayable(let text): done.fail(sourceFailure(text ?? "it has no audio"))
        case .nobody(let names):
            done.fail(
                RuntimeFailure(
                    .unknownPeer,
                    "nobody called \(names.joined(separator: " or ")) was found in 10 s; `tutti peers` lists who is there"
                ))
        }
    }

    private func sourceFailure(_ text: String) -> RuntimeFailure {
        capture?.failure ?? reader?.failure.map { RuntimeFailure($0) } ?? RuntimeFailure(.unusableInput, text)
    }

    // MARK: What happens

    private func onTick() {
        tellOfSleep()
        handle(.tick)
        guard let interval = session?.tickInterval else { return }
        // Fails once the loop has ended, and then nobody needs it.
        ticker = try? loop.scheduleCallback(in: .nanoseconds(interval.nanoseconds), handler: self)
        guard HostTime.now() >= nextStatus else { return }
        nextStatus = .now() + Self.statusInterval
        emitStatus(isOver: false)
    }

    /// The song's timeline stood still with this machine's clock, and listeners that missed it come back by themselves.
    private func tellOfSleep() {
        if let span = sleepDetector.note(.now()) { emit(.notice(.slept(span))) }
    }

    private func found(_ finding: DiscoveryBridge.Finding) {
        switch finding {
        case .contact(let contact): handle(.contact(contact))
        case .lost(let key): handle(.contactLost(key))
        case .notice(let notice): emit(.notice(.network(notice)))
        case .renamed(let newName):
            emit(.notice(.network(.nameTaken(name, instead: newName))))
            handle(.renamed(newName))
        }
    }

    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
    ) {
        handle(.opened(id, direction, address: address, dial: dial, key: freshKey()))
    }

    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {
        handle(.dialFailed(dial, failure))
    }

    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    func networkDidWrite(_ id: ConnectionID, byteCount: Int) { handle(.wrote(id, byteCount: byteCount)) }

    func networkDidClose(_ id: ConnectionID) { handle(.closed(id)) }

    // MARK: For display

    private func emitStatus(isOver: Bool) {
        guard let session, session.summary.isReady else { return }
        if !isOver { position = session.playPosition(.now()) }
        let readiness = session.readiness
        let state: BroadcastStatus.State =
            if isOver {
                .ended
            } else if !session.isPlaying {
                .waiting(ready: readiness.ready, wanted: readiness.wanted)
            } else {
                session.end != nil ? .finishing : .playing
            }
        let song = SongStatus(
            session.summary, elapsed: position, end: session.end)
        let listeners = session.listeners.map { view in
            var status =
                view.report.map { ListenerStatus(name: view.name, report: $0) }
                ?? ListenerStatus(name: view.name, state: .connecting, buffered: .zero, timing: nil)
            status.isSentPCM = view.isSentPCM
            return status
        }
        emit(
            .broadcast(
                BroadcastStatus(
                    name: name, state: state, song: song, listeners: listeners, refusedCount: session.refusedCount)))
    }
}

// Confined to its event loop, where NIO, mDNS and the reader bring what they have.
extension BroadcastRunner: @unchecked Sendable {}

extension BroadcastRunner: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) { onTick() }
}
