import AudioCore
import AudioDecoding
import Broadcasting
import ClockSync
import HostSystem
import NIOCore
import Peering
import SessionExecution
import WireProtocol

/// A machine that runs the shipping ``BroadcastExecutor`` with its session: the shell around it, made of simulated
/// parts.
public final class BroadcastNode: BroadcastEnvironment {
    public let machine: VirtualMachine
    public var greeting: Greeting { configuration.greeting }
    public let performance: Performance
    public var session: BroadcastSession { executor.session }
    public private(set) var outcome: BroadcastOutcome?
    public private(set) var finishedAt: TrueTime?
    /// When it was started.
    public let began: TrueTime
    /// Everything it told its user.
    public private(set) var notices: [BroadcastNotice] = []
    /// Most bytes that were on their way to one listener.
    public private(set) var highestByteCountInFlight = 0

    /// The song's source fails when it has given this many frames.
    public var sourceFailure: (frame: Int64, text: String)?
    /// The song's source brings it as it is heard, and no faster, since it was first asked; at these frames it pauses.
    /// Nil for a file.
    public var livePauses: [(frame: Int64, span: TimeSpan)]?
    var liveSince: TrueTime?
    /// A piece of song of 0.1 s takes so long to decode at most.
    public var transcodingTime = TimeSpan.milliseconds(4)
    let fault: PlantedFault?

    let configuration: BroadcastConfiguration
    /// Its machine's keys; nil where connections begin without any.
    public let identity: MachineIdentity?
    let connector: VirtualConnector?
    /// Whether listeners' ears know when what of it is due.
    let isAttended: Bool
    private let executor: BroadcastExecutor
    private let network: VirtualNetwork
    let discovery: VirtualDiscovery?
    var random: SimulationRandom
    private var responder = ClockResponder()
    /// Requests do not gather until then.
    private var urgentUntil = HostTime(nanoseconds: 0)
    private var endpoints: [ConnectionID: StreamEndpoint] = [:]
    private var inFlight: [ConnectionID: Int] = [:]
    private var nextConnection = 0
    /// The songs of its programme by their items' titles; empty: its performance's song is the only one.
    var songs: [String: VirtualSong] = [:]
    /// What is read for each epoch, and the next frame of it.
    var reading: [Epoch: (song: VirtualSong, next: Int64, first: Int64)] = [:]
    /// What is to be heard of a programme, epoch by epoch, and stretch by stretch of those that were paused.
    public internal(set) var stretches: [Stretch] = []
    /// Called for each new one.
    var onStretch: (Performance) -> Void = { _ in }
    var transcoder = SongTranscoder(decoders: .simulated)
    /// How often it was to decode, and how often it could let go of the decoder.
    public internal(set) var transcodingCount = 0
    public internal(set) var transcodingEndCount = 0
    var transcoderFree = TrueTime.start

    init(
        machine: VirtualMachine, network: VirtualNetwork, discovery: VirtualDiscovery?, performance: Performance,
        configuration: BroadcastConfiguration, identity: MachineIdentity?, isAttended: Bool, fault: PlantedFault?,
        random: SimulationRandom
    ) {
        var configuration = configuration
        let connector = identity.map { VirtualConnector(identity: $0, machine: machine, fault: fault) }
        if let connector { configuration.access = connector.policy(configuration.access) }
        self.machine = machine
        self.network = network
        self.discovery = discovery
        self.performance = performance
        self.random = random
        self.configuration = configuration
        self.identity = identity
        self.connector = connector
        self.isAttended = isAttended
        self.fault = fault
        began = machine.loop.now
        executor = BroadcastExecutor(configuration: configuration)
        executor.environment = self
        wireHousehold()
    }

    public var name: String { greeting.name }
    /// Connections that stand.
    public var connectionCount: Int { endpoints.count }

    func start() {
        network.listen(on: machine) { [unowned self] in opened($0, .accepted, dial: nil) }
        network.bindDatagrams(on: machine) { [unowned self] in receiveDatagram($0, from: $1, arrival: $2) }
        discovery?.browse(on: machine) { [unowned self] in hear($0) }
        machine.after(VirtualDiscovery.registrationTime) { [unowned self] in advertise() }
        connector?.watchStore()
        executor.start()
    }

    /// Knows of a listener that was named by address.
    public func name(listener address: NetworkAddress) { handle(.contact(PeerContact(address: address))) }

    /// The user pressed Ctrl-C.
    public func stop() { handle(.stop) }

    /// The process ends without a word of its own; `sayingGoodbye`: its kernel still closes the connections.
    public func crash(sayingGoodbye: Bool) {
        network.kill(machine, sayingGoodbye: sayingGoodbye)
        discovery?.expire(greeting.contactKey)
    }

    // MARK: Events in

    func handle(_ event: BroadcastEvent) {
        executor.handle(event)
        noteTimeline()
    }

    private func noteTimeline() {
        guard songs.isEmpty else { return noteStretches() }
        let anchor = executor.session.anchor
        if performance.anchor != anchor, let anchor { performance.anchor = anchor }
    }

    private func hear(_ news: VirtualDiscovery.News) {
        switch news {
        case .found(let contact): handle(.contact(contact))
        case .lost(let key): handle(.contactLost(key))
        }
    }

    private func opened(_ endpoint: StreamEndpoint, _ direction: PeerConnection.Direction, dial: Dialer.Dial?) {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        endpoints[id] = endpoint
        inFlight[id] = 0
        endpoint.begin(
            received: { [unowned self] in receive($0, from: id) }, wrote: { [unowned self] in note(wrote: $0, to: id) },
            closed: { [unowned self] in
                endpoints[id] = nil
                connector?.closed(id)
                handle(.closed(id))
            })
        connector?.open(id, endpoint, direction)
        let key = ClockKey.random(using: &random)
        handle(.opened(id, direction, address: endpoint.peerName, dial: dial, key: key))
        if isAmongMembers { handle(.standing(id, .member)) }
    }

    private func receive(_ bytes: ByteBuffer, from id: ConnectionID) {
        guard let connector else { return handle(.received(id, bytes)) }
        if let messages = connector.receive(bytes, from: id) { handle(.received(id, messages)) }
    }

    private func note(wrote byteCount: Int, to id: ConnectionID) {
        let byteCount = connector?.wrote(byteCount, to: id) ?? byteCount
        guard byteCount > 0 else { return }
        inFlight[id, default: 0] -= byteCount
        handle(.wrote(id, byteCount: byteCount))
    }

    private func receiveDatagram(_ bytes: [UInt8], from source: String, arrival: HostTime) {
        let gathering = gatheringTime(now: machine.now)
        guard gathering > .zero || fault == .swappedStamps else {
            return reply(to: bytes, from: source, receive: arrival, transmit: machine.now)
        }
        // Where it does not lie in the socket for long, the process wakes a little after the kernel's stamp.
        machine.after(gathering + .microseconds(15)) { [self] in
            let stamps = fault == .swappedStamps ? (machine.now, arrival) : (arrival, machine.now)
            reply(to: bytes, from: source, receive: stamps.0, transmit: stamps.1)
        }
    }

    private func reply(to bytes: [UInt8], from source: String, receive: HostTime, transmit: HostTime) {
        guard let reply = responder.receive(bytes, at: SessionTime(nanoseconds: receive.nanoseconds)) else { return }
        if reply.isUrgent { urgentUntil = max(urgentUntil, machine.now + ClockLimits.urgentTime) }
        // From the reading of the clock to the wire; the kernel's stamp is of the latter.
        let sending = random.exponential(.microseconds(6))
        let bytes = reply.bytes(transmit: SessionTime(nanoseconds: transmit.nanoseconds))
        machine.after(sending) { [self] in
            network.sendDatagram(bytes, from: machine, to: source)
            responder.didSend(
                keyIdentifier: reply.keyIdentifier, sequence: reply.sequence,
                at: SessionTime(nanoseconds: machine.now.nanoseconds))
        }
    }

    /// How much longer requests gather.
    private func gatheringTime(now: HostTime) -> TimeSpan {
        guard now >= urgentUntil else { return .zero }
        let span = ClockLimits.gatheringTime.nanoseconds
        return TimeSpan(nanoseconds: span - now.nanoseconds % span)
    }

    // MARK: What the executor works with

    public var now: HostTime { machine.now }

    public var sleepReading: SleepReading { machine.sleepReading }

    public func startTimer(_ span: TimeSpan) {
        machine.after(span) { [unowned self] in
            executor.timerDidFire()
            noteTimeline()
        }
    }

    public func dial(_ dial: Dialer.Dial) {
        network.dial(from: machine, to: dial.address) { [unowned self] outcome in
            switch outcome {
            case .success(let endpoint): opened(endpoint, .dialed, dial: dial)
            case .failure(let failure): handle(.dialFailed(dial, failure))
            }
        }
    }

    public func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        guard let endpoint = endpoints[id] else { return }
        inFlight[id, default: 0] += bytes.readableBytes
        highestByteCountInFlight = max(highestByteCountInFlight, inFlight[id] ?? 0)
        if let connector { connector.write(bytes, to: id) } else { endpoint.write(bytes) }
    }

    public func close(_ id: ConnectionID) {
        if let connector { connector.close(id) } else { endpoints[id]?.close() }
    }

    public func addKey(_ key: ClockKey) {
        responder.register(key)
        urgentUntil = machine.now + ClockLimits.joinerTime
    }

    public func removeKey(_ key: ClockKey) { responder.unregister(keyIdentifier: key.identifier) }

    // Nobody sends songs here.
    public func openSpool(_ offer: SongOffer) { handle(.spool(offer.id, .failed(.noRoom))) }

    public func writeSpool(_ bytes: SongBytes) {}

    public func closeSpool(_ id: CommandID) {}

    private func advertise() {
        guard outcome == nil else { return }
        discovery?.publish(
            PeerContact(
                key: greeting.contactKey, name: greeting.name, roles: greeting.roles,
                started: greeting.started, addresses: [NetworkAddress(host: machine.name)]))
    }

    public func didMeet(_ peer: MetPeer) {}

    public func watchPins() {}

    public func broadcastDidChange() {}

    public func answer(_ outcome: CommandOutcome, to asker: Asker) {}

    public func broadcastDidTell(_ notice: BroadcastNotice) { notices.append(notice) }

    public func machineDidSleep(for span: TimeSpan) {}

    public func broadcastDidFinish(_ outcome: BroadcastOutcome) {
        self.outcome = outcome
        finishedAt = machine.loop.now
        network.stopListening(on: machine)
        discovery?.withdraw(greeting.contactKey)
    }
}
