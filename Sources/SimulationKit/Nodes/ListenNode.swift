import AudioCore
import AudioDecoding
import AudioQueue
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import Playout
import WireProtocol

/// A machine that runs the shipping ``ListenSession``, clock client, packet feeder and renderer.
public final class ListenNode {
    public let machine: VirtualMachine
    public var greeting: Greeting { configuration.greeting }
    public let ear = Ear()
    public private(set) var session: ListenSession
    public private(set) var outcome: ListenOutcome?
    /// Everything it told its user, and when.
    public private(set) var notices: [(time: TrueTime, notice: ListenNotice)] = []
    /// Why it could not play a stream.
    public private(set) var decodingErrors: [AudioDecodingError] = []
    /// Highest fill of the queue so far.
    public private(set) var highestQueuedByteCount = 0
    /// What the renderer told: starts, underruns, re-placements.
    public private(set) var playoutEvents: [PlayoutEvent] = []
    /// Names of the broadcasters that fed it, in order.
    public private(set) var broadcasters: [String] = []

    /// Whether the planted fault came to anything: one that is never cut off need not come back.
    public private(set) var hasMisbehaved = false

    let configuration: ListenConfiguration
    let cardConfiguration: VirtualSoundCard.Configuration
    private let network: VirtualNetwork
    let discovery: VirtualDiscovery?
    private var random: SimulationRandom
    private let control = PlayoutControl()
    private let card: VirtualSoundCard
    private var sleepDetector = SleepDetector()
    private var feeder = PacketFeeder(decoders: .simulated)
    private var epoch: Epoch?
    private var endpoints: [ConnectionID: StreamEndpoint] = [:]
    private var nextConnection = 0
    private var clock: (client: ClockClient, host: String)?
    /// Counts clock exchanges, so that timers of an older one are void.
    private var clockGeneration = 0
    private var exchangeCount = 0
    private var isRegistered = false

    init(
        machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery?,
        configuration: ListenConfiguration, card: VirtualSoundCard.Configuration, random: SimulationRandom
    ) {
        var random = random
        self.machine = machine
        self.network = network
        self.discovery = discovery
        self.configuration = configuration
        cardConfiguration = card
        session = ListenSession(configuration: configuration, now: machine.now)
        self.card = VirtualSoundCard(
            control: control, machine: machine, ear: ear, configuration: card, random: random.fork())
        self.random = random
    }

    public var name: String { greeting.name }
    public var xrunCount: Int { card.xrunCount }
    public var snapshot: PlayoutSnapshot { control.snapshot }
    public var feederSnapshot: PacketFeederSnapshot { feeder.snapshot }
    /// Connections that stand.
    public var connectionCount: Int { endpoints.count }
    /// Whether it waits for a broadcast.
    public var isIdle: Bool { outcome == nil && session.broadcasterName == nil }

    /// What its clock exchange counted, since it last began.
    public var clockStatistics: ClockClient.Statistics? { clock?.client.statistics }
    public var clockEstimate: ClockEstimate? { clock?.client.estimate }

    /// How far what it places the sound by is from a broadcaster's clock now; nil while it knows none.
    public func clockError(against broadcaster: BroadcastNode) -> TimeSpan? {
        session.sessionTime(at: machine.now).map {
            $0 - SessionTime(nanoseconds: broadcaster.machine.now.nanoseconds)
        }
    }

    /// Its ear hears a performance as its user wants it: shifted by the offset.
    func attend(_ performance: Performance) {
        let offset = configuration.offset
        ear.attend(performance, asPlaced: offset == .zero ? performance : performance.shifted(by: offset, on: machine))
    }

    func start() {
        card.start()
        network.listen(on: machine) { [unowned self] in opened($0, .accepted, dial: nil) }
        network.bindDatagrams(on: machine) { [unowned self] in receiveDatagram($0, arrival: $2) }
        discovery?.browse(on: machine) { [unowned self] in hear($0) }
        machine.after(VirtualDiscovery.registrationTime) { [unowned self] in
            isRegistered = true
            advertise()
        }
        tick()
    }

    /// The user pressed Ctrl-C.
    public func stop() { handle(.stop) }

    /// The process ends without a word of its own; `sayingGoodbye`: its kernel still closes the connections.
    public func crash(sayingGoodbye: Bool) {
        network.kill(machine, sayingGoodbye: sayingGoodbye)
        discovery?.expire(greeting.contactKey)
    }

    /// A cable that was pulled for a moment: all connections break, and both sides learn of it.
    public func breakConnections() {
        let ids = endpoints.keys.sorted { $0.number < $1.number }
        for id in ids { endpoints[id]?.reset() }
    }

    /// Its kernel forgets all connections: this side learns of it, the other does not.
    public func forgetConnections() {
        let ids = endpoints.keys.sorted { $0.number < $1.number }
        for id in ids { endpoints[id]?.breakOff() }
    }

    /// The sound card stands still for this long, and then goes on.
    public func stallCard(for span: TimeSpan) {
        machine.noteFault(lasting: span)
        card.stall(for: span)
    }

    // MARK: Events in

    private func tick() {
        feed()
        control.takeEvents { event in
            playoutEvents.append(event)
            if case .finished(let epoch) = event { handle(.heardEnd(epoch)) }
        }
        handle(.playout(control.snapshot))
        handle(.tick)
        guard outcome == nil else { return }
        machine.after(.milliseconds(20)) { [unowned self] in tick() }
    }

    private func handle(_ event: ListenEvent) {
        if let span = sleepDetector.note(machine.sleepReading) { pass(.machineDidSleep(for: span)) }
        pass(event)
    }

    private func pass(_ event: ListenEvent) {
        for action in session.handle(event, now: machine.now) { perform(action) }
        if let name = session.broadcasterName, broadcasters.last != name { broadcasters.append(name) }
    }

    private func hear(_ news: VirtualDiscovery.News) {
        switch news {
        case .found(let contact): handle(.contact(contact))
        case .lost(let key): handle(.contactLost(key))
        }
    }

    private func opened(_ endpoint: StreamEndpoint, _ direction: PeerConnection.Direction, dial: Dialer.Dial?) {
        guard !givesUp() else { return endpoint.close() }
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        endpoints[id] = endpoint
        endpoint.begin(
            received: { [unowned self] in handle(.received(id, $0)) }, wrote: { _ in },
            closed: { [unowned self] in
                endpoints[id] = nil
                handle(.closed(id))
            })
        handle(.opened(id, direction, address: endpoint.peerName, dial: dial))
    }

    /// By the planted fault: what was to be done is not.
    private func givesUp() -> Bool {
        guard cardConfiguration.fault == .noReconnection, exchangeCount > 0 else { return false }
        if endpoints.isEmpty { hasMisbehaved = true }
        return true
    }

    // MARK: Actions out

    private func perform(_ action: ListenAction) {
        switch action {
        case .dial(let dial):
            guard !givesUp() else { return }
            network.dial(from: machine, to: dial.address) { [unowned self] outcome in
                switch outcome {
                case .success(let endpoint): opened(endpoint, .dialed, dial: dial)
                case .failure(let failure): handle(.dialFailed(dial, failure))
                }
            }
        case .send(let id, let bytes): endpoints[id]?.write(bytes)
        case .close(let id), .abort(let id): endpoints[id]?.close()
        case .startClock(let id, _, let key, _, let prior): startClock(id, key, prior ?? .unknown)
        case .stopClock: stopClock()
        case .restartClock:
            clock?.client.startAnew(now: machine.now)
            clockGeneration += 1
            askClock(generation: clockGeneration)
        case .sendClock(let id, let request):
            endpoints[id]?.write(WireEncoder.clock(request.bytes))
            handle(.sentClock(sequence: request.sequence, at: machine.now))
        case .begin(let epoch, let summary, let firstFrame): begin(epoch, summary, firstFrame)
        case .enqueue(let position, let packets, let data): enqueue(packets, data, at: position)
        case .reenter(let frame, let epoch): feeder.reenter(at: frame, epoch: epoch)
        case .setTimeline(var timeline):
            if cardConfiguration.fault == .lateReturn, exchangeCount > 1 {
                hasMisbehaved = true
                timeline.host += .milliseconds(1)
            }
            control.setTimeline(timeline)
        case .finish(let end, let epoch):
            feeder.finish(at: end, packetsFollow: false, epoch: epoch)
            control.finish(at: end, epoch: epoch)
        case .hold(let fade): control.hold(fade: fade)
        case .silence(let fade):
            feeder.flush()
            control.stop(fade: fade)
        case .advertise: advertise()
        case .notice(let notice): notices.append((machine.loop.now, notice))
        case .finished(let outcome): finish(outcome)
        }
    }

    private func advertise() {
        guard isRegistered, outcome == nil else { return }
        discovery?.publish(
            PeerContact(
                key: greeting.contactKey, name: greeting.name, roles: greeting.roles,
                started: greeting.started, isBusy: session.broadcasterName != nil,
                addresses: [NetworkAddress(host: machine.name)]))
    }

    private func finish(_ outcome: ListenOutcome) {
        self.outcome = outcome
        network.stopListening(on: machine)
        discovery?.withdraw(greeting.contactKey)
    }

    // MARK: The queue

    private func begin(_ epoch: Epoch, _ summary: AudioStreamSummary, _ firstFrame: FramePosition) {
        guard let format = summary.format else { return }
        self.epoch = epoch
        let stream = AudioQueueStream(
            epoch: epoch, format: format, magicCookie: summary.magicCookie,
            primingFrameCount: summary.packetTable?.primingFrameCount ?? 0, firstFrame: firstFrame,
            fadesIn: firstFrame > .zero)
        do {
            control.play(try feeder.begin(stream))
        } catch {
            decodingErrors.append(error)
        }
    }

    private func enqueue(_ packets: [AudioPacketDescription], _ data: ByteBuffer, at position: FramePosition) {
        guard let epoch else { return }
        feeder.enqueue(packets.span, data: data.readableBytesSpan, at: position, epoch: epoch)
        highestQueuedByteCount = max(highestQueuedByteCount, feeder.snapshot.queuedByteCount)
        feed()
    }

    private func feed() {
        var step = PacketFeederStep.fed
        while step == .fed { step = feeder.feed() }
        guard case .cannotDecode(let error) = step else { return }
        control.stop(fade: .milliseconds(10))
        notices.append((machine.loop.now, "cannot decode: \(error)"))
    }

    // MARK: The clock

    private func startClock(_ id: ConnectionID, _ key: ClockKey, _ prior: SkewPrior) {
        guard let endpoint = endpoints[id] else { return }
        exchangeCount += 1
        clockGeneration += 1
        clock = (ClockClient(key: key, prior: prior, seed: random.next()), endpoint.peerName)
        askClock(generation: clockGeneration)
    }

    private func stopClock() {
        clockGeneration += 1
        clock = nil
    }

    private func askClock(generation: Int) {
        guard generation == clockGeneration, let host = clock?.host else { return }
        if let request = clock?.client.poll(now: machine.now) {
            // From the reading of the clock to the wire; the kernel's stamp is of the latter.
            machine.after(random.exponential(.microseconds(6))) { [self] in
                guard generation == clockGeneration else { return }
                network.sendDatagram(request.bytes, from: machine, to: host)
                clock?.client.didSend(sequence: request.sequence, at: machine.now)
            }
        }
        guard let deadline = clock?.client.nextDeadline else { return }
        // A second at most: a clock that is put back does not stop the exchange.
        let wait = min(max(.zero, deadline - machine.now), .seconds(1)) + random.exponential(.microseconds(30))
        machine.after(wait) { [unowned self] in askClock(generation: generation) }
    }

    private func receiveDatagram(_ bytes: [UInt8], arrival: HostTime) {
        guard clock?.client.receive(bytes, at: arrival) == .updated, let estimate = clock?.client.estimate else {
            return
        }
        handle(.clock(estimate))
    }
}
