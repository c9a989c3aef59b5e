import AudioCore
import Broadcasting
import Cryptography
import Listening
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// What is simulated: machines, network and loudspeakers, made from one seed and run on true time.
public final class World {
    public let seed: UInt64
    public let loop = EventLoop()
    public let network: VirtualNetwork
    public let discovery: VirtualDiscovery
    public private(set) var listeners: [ListenNode] = []
    public private(set) var broadcasters: [BroadcastNode] = []
    /// For whatever a scenario leaves to chance.
    public var random: SimulationRandom
    private var machineCount = 0
    /// Of the machines' keys; nil where connections begin without any.
    private var keyRandom: SimulationRandom?

    /// Crystals of machines, in ppm.
    public var clockSpread = 50.0
    /// Peak wander of machines' crystals, in ppm.
    public var clockWander = 0.5
    /// Crystals of sound cards, in ppm.
    public var cardSpread = 100.0
    /// How late sound threads wake, on average, on one machine or another.
    public var wakeLatency = TimeSpan.microseconds(5) ... .microseconds(25)
    /// How machines are connected unless told otherwise.
    public var quality = LinkQuality.quietLAN

    /// - Parameter hasKeys: whether all machines have keys, and begin connections with a handshake. Without, they are
    ///   in open mode, and know each other by what they say.
    public init(seed: UInt64, hasKeys: Bool = false) {
        self.seed = seed
        // Of its own, so that a seed gives the same events with keys and without, but for the handshakes.
        if hasKeys { keyRandom = SimulationRandom(seed: ~seed) }
        random = SimulationRandom(seed: seed)
        network = VirtualNetwork(loop: loop, random: random.fork())
        discovery = VirtualDiscovery(loop: loop, random: random.fork())
        discovery.isCut = { [unowned network] in network.isCut($0, $1.name) }
        network.onMend = { [unowned discovery] in discovery.refresh() }
        network.onLinkDown = { [unowned discovery] in discovery.forgetAll(on: $0) }
    }

    // Events hold nodes, and nodes hold the loop.
    deinit {
        loop.removeAll()
        network.letGo()
    }

    public func run(for span: TimeSpan) { loop.run(until: loop.now + span) }
    public func run(until time: TrueTime) { loop.run(until: time) }

    /// Runs until the condition holds, looked at every 10 ms. False if it did not within `limit`.
    public func run(atMost limit: TimeSpan, until condition: () -> Bool) -> Bool {
        let end = loop.now + limit
        while !condition() {
            guard loop.now < end else { return false }
            run(for: .milliseconds(10))
        }
        return true
    }

    /// Whether every listener that lives waits for a broadcast.
    public var areListenersIdle: Bool {
        listeners.allSatisfy { !$0.machine.isAlive || $0.outcome != nil || $0.isIdle }
    }

    /// Memory that is taken by what was heard, from when a listener or a song was added on.
    public var heardByteCount: Int { listeners.reduce(0) { $0 + $1.ear.byteCount } }

    // MARK: Who is there

    /// Adds a machine that listens.
    /// - Parameters:
    ///   - mdns: whether it takes part in discovery.
    ///   - clockRate: of its crystal; any within ``clockSpread`` if nil.
    ///   - cardRate: of its sound card's crystal against the rate that the card claims; any within ``cardSpread`` if
    ///     nil.
    ///   - held: how much the sound card holds, if it does not give back what is written; 150 ms, of which it gives
    ///     back what is asked for, if nil.
    ///   - identity: of the machine; one of its own if nil, where machines have keys.
    @discardableResult
    public func addListener(
        _ name: String, mdns: Bool = true, quality: LinkQuality? = nil, clockRate: PartsPerMillion? = nil,
        cardRate: PartsPerMillion? = nil, cardHolding held: TimeSpan? = nil, identity: MachineIdentity? = nil,
        fault: PlantedFault? = nil, _ configure: (inout ListenConfiguration) -> Void = { _ in }
    ) -> ListenNode {
        let machine = addMachine(quality, clockRate)
        var configuration = ListenConfiguration(greeting: greeting(name, .listener))
        configure(&configuration)
        var card = VirtualSoundCard.Configuration()
        card.crystal = VirtualClock.random(within: cardSpread, wander: 0.2, using: &random)
        if let cardRate { card.crystal.rate = cardRate }
        card.wakeLatency = random.span(wakeLatency)
        if let held { (card.givesBack, card.buffer) = (false, held) }
        card.fault = fault
        return add(
            configuration, on: machine, mdns: mdns, card: card, identity: identity ?? makeIdentity())
    }

    func add(
        _ configuration: ListenConfiguration, on machine: VirtualMachine, mdns: Bool,
        card: VirtualSoundCard.Configuration, identity: MachineIdentity?
    ) -> ListenNode {
        var configuration = configuration
        if let identity { configuration.greeting.peer = identity.key.uuid }
        let node = ListenNode(
            machine: machine, network: network, discovery: mdns ? discovery : nil, configuration: configuration,
            identity: identity, card: card, random: random.fork())
        listeners.append(node)
        for broadcaster in broadcasters where broadcaster.isAttended {
            node.attend(broadcaster.performance)
            for stretch in broadcaster.stretches { node.attend(stretch.performance) }
        }
        machine.after(.zero) { [unowned node] in node.start() }
        return node
    }

    /// Adds a machine that broadcasts a song.
    /// - Parameters:
    ///   - isAttended: whether listeners' ears are to know what of it is due when. Otherwise it is a stray sound.
    ///   - identity: of the machine; one of its own if nil, where machines have keys.
    @discardableResult
    public func addBroadcaster(
        _ name: String, song: VirtualSong, mdns: Bool = true, clockRate: PartsPerMillion? = nil,
        isAttended: Bool = true, identity: MachineIdentity? = nil, fault: PlantedFault? = nil,
        _ configure: (inout BroadcastConfiguration) -> Void = { _ in }
    ) -> BroadcastNode {
        let machine = addMachine(nil, clockRate)
        var configuration = BroadcastConfiguration(
            greeting: greeting(name, .broadcaster), clockPort: NetworkAddress.defaultPort)
        configuration.decodableCodecs = [.linearPCM, LappedDecoder.codec]
        _ = try? configuration.programme.insert([NewItem(.local(song.title), title: song.title)], at: 0)
        _ = try? configuration.programme.apply(.play)
        configure(&configuration)
        return add(
            configuration, on: machine, song: song, mdns: mdns, identity: identity ?? makeIdentity(),
            isAttended: isAttended, fault: fault)
    }

    /// Adds a machine that broadcasts a programme of these songs, again and again.
    /// - Parameters:
    ///   - webSongs: songs that others may add, each by its title, which is an address.
    ///   - household: of all machines, as they have no keys; nil for open mode.
    public func addBroadcaster(
        _ name: String, songs: [VirtualSong], webSongs: [VirtualSong] = [], household: String? = nil
    ) -> BroadcastNode {
        let node = addBroadcaster(name, song: songs[0]) { configuration in
            configuration.programme = Programme(seed: self.seed)
            let items = songs.map { NewItem(.local($0.title), title: $0.title) }
            _ = try? configuration.programme.insert(items, at: 0)
            _ = try? configuration.programme.apply(.setRepeat(.all))
            _ = try? configuration.programme.apply(.play)
            configuration.staysIdle = true
            configuration.acceptsSongs = !webSongs.isEmpty
            configuration.access.household = household
        }
        node.songs = Dictionary((songs + webSongs).map { ($0.title, $0) }) { first, _ in first }
        node.onStretch = { [unowned self] performance in
            for listener in listeners { listener.attend(performance) }
        }
        return node
    }

    /// Adds a machine that commands and follows a broadcast.
    public func addController(
        _ name: String, of broadcaster: BroadcastNode, quality: LinkQuality? = nil
    ) -> ControlNode {
        let machine = addMachine(quality, nil)
        let node = ControlNode(machine: machine, network: network, greeting: greeting(name, .controller))
        node.start(NetworkAddress(host: broadcaster.machine.name))
        return node
    }

    func add(
        _ configuration: BroadcastConfiguration, on machine: VirtualMachine, song: VirtualSong, mdns: Bool,
        identity: MachineIdentity?, isAttended: Bool, fault: PlantedFault?
    ) -> BroadcastNode {
        var configuration = configuration
        if let identity { configuration.greeting.peer = identity.key.uuid }
        let node = BroadcastNode(
            machine: machine, network: network, discovery: mdns ? discovery : nil,
            performance: Performance(song: song, machine: machine), configuration: configuration, identity: identity,
            isAttended: isAttended, fault: fault, random: random.fork())
        broadcasters.append(node)
        if isAttended { for listener in listeners { listener.attend(node.performance) } }
        machine.after(.zero) { [unowned node] in node.start() }
        return node
    }

    /// Makes keys; nil where machines have none.
    public func makeIdentity() -> MachineIdentity? {
        guard let seed = keyRandom?.bytes(PeerKeyPair.seedByteCount) else { return nil }
        return MachineIdentity(keys: PeerKeyPair(seed: SecretBytes(copying: seed)))
    }

    /// Adds a machine of strangers that takes connections of others.
    public func addFlooder(_ manner: FloodNode.Manner) -> FloodNode {
        FloodNode(machine: addMachine(nil, nil), network: network, key: makeIdentity()?.key, manner: manner)
    }

    func addMachine(_ quality: LinkQuality?, _ clockRate: PartsPerMillion?) -> VirtualMachine {
        machineCount += 1
        var clock = VirtualClock.random(within: clockSpread, wander: clockWander, using: &random)
        if let clockRate { clock.rate = clockRate }
        let machine = VirtualMachine(name: "machine\(machineCount)", loop: loop, clock: clock)
        network.attach(machine, quality: quality ?? self.quality)
        return machine
    }

    func greeting(_ name: String, _ roles: PeerRoles) -> Greeting {
        Greeting(
            roles: roles, peer: UUIDBytes(high: random.next(), low: random.next()), instance: random.next(),
            started: loop.now.unixTime, name: name,
            codecs: [.linearPCM, LappedDecoder.codec])
    }
}
