import AudioCore
import AudioDecoding
import AudioQueueServices
import ClockSync
import HostSystem
import Listening
import NIOCore
import Peering
import Playout
import SessionExecution
import WireProtocol

/// A machine that runs the shipping ``ListenExecutor`` with its session, clock client, packet feeder and renderer.
public final class ListenNode: ListenTransport, ListenEnvironment {
    public let machine: VirtualMachine
    public var greeting: Greeting { configuration.greeting }
    public let ear = Ear()
    public var session: ListenSession { executor.session }
    public private(set) var outcome: ListenOutcome?
    /// Everything it told its user, and when.
    public private(set) var notices: [(time: TrueTime, notice: ListenNotice)] = []
    /// How its loudspeakers are set, and were since when.
    public internal(set) var loudspeakers: LoudspeakerHistory
    public var groupVolume: VolumeSetting { loudspeakers.last.group }
    /// What its broadcaster answered.
    public private(set) var answers: [ControlMessage] = []
    /// Why it could not play a stream.
    public private(set) var decodingErrors: [AudioDecodingError] = []
    /// Highest fill of the queue so far.
    public var highestQueuedByteCount: Int { outlet.highestQueuedByteCount }
    /// What the renderer told: starts, underruns, re-placements.
    public private(set) var playoutEvents: [PlayoutEvent] = []
    /// Names of the broadcasters that fed it, in order.
    public private(set) var broadcasters: [String] = []

    /// Whether the planted fault came to anything: one that is never cut off need not come back.
    public var hasMisbehaved: Bool { hasGivenUp || outlet.hasBeenLate }
    private var hasGivenUp = false

    let configuration: ListenConfiguration
    /// Its machine's keys; nil where connections begin without any.
    public let identity: MachineIdentity?
    let connector: VirtualConnector?
    let cardConfiguration: VirtualSoundCard.Configuration
    let network: VirtualNetwork
    let discovery: VirtualDiscovery?
    var random: SimulationRandom
    let control = PlayoutControl()
    let card: VirtualSoundCard
    let outlet: SimulatedOutlet
    let executor: ListenExecutor
    /// Counts timers, so that older ones are void.
    private var timerGeneration = 0
    var endpoints: [ConnectionID: StreamEndpoint] = [:]
    private var nextConnection = 0
    /// The exchange of clocks, and what it told that was not taken.
    var clock: (client: ClockClient, host: String, untaken: ClockEstimate?)?
    /// Counts clock exchanges, so that timers of an older one are void.
    var clockGeneration = 0
    var exchangeCount = 0

    init(
        machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery?,
        configuration: ListenConfiguration, identity: MachineIdentity?, card: VirtualSoundCard.Configuration,
        random: SimulationRandom
    ) {
        var random = random
        var configuration = configuration
        let connector = identity.map { VirtualConnector(identity: $0, machine: machine, fault: card.fault) }
        if let connector { configuration.access = connector.policy(configuration.access) }
        self.machine = machine
        self.network = network
        self.discovery = discovery
        self.configuration = configuration
        self.identity = identity
        self.connector = connector
        cardConfiguration = card
        loudspeakers = LoudspeakerHistory(ListenerSettings(offset: configuration.offset))
        outlet = SimulatedOutlet(control: control)
        executor = ListenExecutor(
            configuration: configuration, outlet: outlet, playingTick: Self.playingTick, now: machine.now)
        self.card = VirtualSoundCard(
            control: control, machine: machine, ear: ear, configuration: card, random: random.fork())
        self.random = random
        executor.transport = self
        executor.environment = self
        wireHousehold()
    }

    /// As often as a listener shows itself on a terminal.
    private static let playingTick = TimeSpan.milliseconds(200)
    /// Of the queue's thread.
    private static let queueTurn = TimeSpan.milliseconds(20)

    public var name: String { greeting.name }
    public var xrunCount: Int { card.xrunCount }
    public var snapshot: PlayoutSnapshot { control.snapshot }
    public var feederSnapshot: PacketFeederSnapshot { outlet.feederSnapshot }
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

    func start() {
        card.start()
        network.listen(on: machine) { [unowned self] in opened($0, .accepted, dial: nil) }
        network.bindDatagrams(on: machine) { [unowned self] in receiveDatagram($0, arrival: $2) }
        discovery?.browse(on: machine) { [unowned self] in hear($0) }
        machine.after(VirtualDiscovery.registrationTime) { [unowned self] in advertise() }
        turnQueue()
        connector?.watchStore()
        executor.start()
        executor.handle(.settings(loudspeakers.last.settings))
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

    private func turnQueue() {
        outlet.turn { event in
            switch event {
            case .playout(let event): playoutEvents.append(event)
            case .cannotDecode(_, let error): decodingErrors.append(error)
            case .device, .decodingFailed: break
            }
            executor.heard(event)
        }
        guard outcome == nil else { return }
        machine.after(Self.queueTurn) { [unowned self] in turnQueue() }
    }

    func handle(_ event: ListenEvent) {
        executor.handle(event)
        noteBroadcaster()
    }

    private func noteBroadcaster() {
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
            received: { [unowned self] in receive($0, from: id) },
            wrote: { [unowned self] in _ = connector?.wrote($0, to: id) },
            closed: { [unowned self] in
                endpoints[id] = nil
                connector?.closed(id)
                handle(.closed(id))
            })
        connector?.open(id, endpoint, direction)
        handle(.opened(id, direction, address: endpoint.peerName, dial: dial))
        if isAmongMembers { handle(.standing(id, .member)) }
    }

    private func receive(_ bytes: ByteBuffer, from id: ConnectionID) {
        guard let connector else { return handle(.received(id, bytes)) }
        if let messages = connector.receive(bytes, from: id) { handle(.received(id, messages)) }
    }

    /// By the planted fault: what was to be done is not.
    private func givesUp() -> Bool {
        guard cardConfiguration.fault == .noReconnection, exchangeCount > 0 else { return false }
        if endpoints.isEmpty { hasGivenUp = true }
        return true
    }

    // MARK: What the executor works with

    public var now: HostTime { machine.now }

    public var sleepReading: SleepReading { machine.sleepReading }

    public func startTimer(_ span: TimeSpan) {
        timerGeneration += 1
        let generation = timerGeneration
        machine.after(span) { [unowned self] in
            guard generation == timerGeneration else { return }
            executor.timerDidFire()
            noteBroadcaster()
        }
    }

    public func dial(_ dial: Dialer.Dial) {
        guard !givesUp() else { return }
        network.dial(from: machine, to: dial.address) { [unowned self] outcome in
            switch outcome {
            case .success(let endpoint): opened(endpoint, .dialed, dial: dial)
            case .failure(let failure): handle(.dialFailed(dial, failure))
            }
        }
    }

    public func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        if let connector { connector.write(bytes, to: id) } else { endpoints[id]?.write(bytes) }
    }

    public func close(_ id: ConnectionID) {
        if let connector { connector.close(id) } else { endpoints[id]?.close() }
    }

    public func abort(_ id: ConnectionID) { endpoints[id]?.close() }

    public func broadcasterDidChange() {}

    public func didMeet(_ peer: MetPeer) {}

    public func watchPins() {}

    private func advertise() {
        guard outcome == nil else { return }
        discovery?.publish(
            PeerContact(
                key: greeting.contactKey, name: greeting.name, roles: greeting.roles,
                started: greeting.started, addresses: [NetworkAddress(host: machine.name)]))
    }

    public func listenerDidHear(_ answer: ControlMessage) { answers.append(answer) }

    public func listenerDidTell(_ notice: ListenNotice) { notices.append((machine.loop.now, notice)) }

    public func listenerDidFinish(_ outcome: ListenOutcome) {
        self.outcome = outcome
        network.stopListening(on: machine)
        discovery?.withdraw(greeting.contactKey)
    }
}
