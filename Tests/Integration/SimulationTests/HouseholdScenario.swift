import AudioCore
import Cryptography
import Households
import Peering
import SecureChannel
import SimulationKit
import WireProtocol

/// A household whose machines broadcast and listen among strangers, while machines are let in, removed, cut off,
/// stopped and started anew. One scenario for each seed. What must hold all the time is looked at all the time; when
/// all are together again, all must agree.
///
/// The first broadcaster and the first two listeners are never removed.
final class HouseholdScenario {
    /// Which of its machines have a planted fault.
    enum Faulty { case listeners, broadcasters }

    static let look = TimeSpan.milliseconds(100)
    /// How long something happens.
    private let chaos: TimeSpan

    let world: World
    let broadcasters: [BroadcastingMachine]
    let listeners: [ListeningMachine]
    let strangers: HouseholdStrangers
    let admissions: HouseholdAdmissions
    /// Every broadcast of the household's machines.
    var broadcasts: [UInt64: (machine: BroadcastingMachine, node: BroadcastNode)] = [:]
    /// Every time that one fed somebody.
    var feeds: [HouseholdFeed] = []
    var knowledge = HouseholdKnowledge()
    var removalCount = 0
    var removalRounds: [RemovalRound] = []
    /// Whether broadcasts follow on each other.
    var broadcastsGoOn = true
    var findings: [Finding] = []
    /// How often there was something to judge.
    var tally = HouseholdTally()
    /// What happened, for whoever looks into a failure.
    var events: [String] = []

    init(
        seed: UInt64, for chaos: TimeSpan = .seconds(100), fault: PlantedFault? = nil, in faulty: Faulty = .listeners
    ) throws {
        SeededSodium.begin(seed: seed)
        self.chaos = chaos
        let world = World(seed: seed, hasKeys: true)
        self.world = world
        strangers = HouseholdStrangers(world)
        admissions = try HouseholdAdmissions(world)
        let memberCount = 4 + Int(world.random.next() % 2)
        let identities = (0..<memberCount + 5).compactMap { _ in world.makeIdentity() }
        try Self.found(Array(identities.prefix(memberCount + 2)), &world.random)
        let listenersFault = faulty == .listeners ? fault : nil
        let broadcastersFault = faulty == .broadcasters ? fault : nil
        listeners = identities.dropFirst(2).enumerated().map { index, identity in
            let name = "Listener \(index + 1)"
            let node = world.addListener(name, identity: identity, fault: listenersFault)
            let machine = ListeningMachine(name: name, identity: identity, node: node, began: world.loop.now)
            // The last three may be let in later.
            if index < memberCount { (machine.admitted, machine.joined) = (.start, .start) }
            return machine
        }
        world.run(for: .seconds(2))
        broadcasters = identities.prefix(2).enumerated().map { index, identity in
            let name = "Broadcaster \(index + 1)"
            let node = world.addBroadcaster(
                name, song: Self.song(index, &world.random), identity: identity, fault: broadcastersFault)
            let machine = BroadcastingMachine(name: name, identity: identity, variant: index, node: node)
            (machine.admitted, machine.joined) = (.start, .start)
            return machine
        }
        for machine in broadcasters { note(machine.node, of: machine) }
        for machine in machines { watch(machine) }
    }

    var machines: [HouseholdMachine] { broadcasters as [HouseholdMachine] + listeners }
    var now: TrueTime { world.loop.now }

    /// Machines that let each other in, one after the other.
    private static func found(_ identities: [MachineIdentity], _ random: inout SimulationRandom) throws {
        var members = identities.shuffled(using: &random)
        let founder = members.removeFirst()
        var household = try Household(name: "Home", founder: founder.keys, memberName: "Founder")
        var sponsors = [founder]
        for member in members {
            let sponsor = sponsors[Int(random.next() % UInt64(sponsors.count))]
            try household.admit(member.keys.signingKey, name: "Member \(sponsors.count)", by: sponsor.keys)
            sponsors.append(member)
        }
        for identity in identities { identity.store(household) }
    }

    static func song(_ variant: Int, _ random: inout SimulationRandom) -> VirtualSong {
        VirtualSong(
            title: "Song \(variant)", duration: random.span(.seconds(12) ... .seconds(35)), variant: variant)
    }

    func note(_ broadcast: BroadcastNode, of machine: BroadcastingMachine) {
        broadcasts[broadcast.greeting.instance] = (machine, broadcast)
    }

    // MARK: The run

    func run() {
        let end = now + chaos
        while now < end {
            look(for: world.random.span(.milliseconds(600) ... .milliseconds(3_000)))
            happen()
            happenToNewcomers()
        }
        heal()
        letInTheRest()
        converge()
        lookForWrongEnd()
    }

    func look(for span: TimeSpan) {
        let end = now + span
        while now < end {
            world.run(until: min(now + Self.look, end))
            goOn()
            observe()
        }
    }

    /// Machines that were stopped long enough are started, and broadcasts follow on each other.
    private func goOn() {
        judgeTries()
        judgeRemovals()
        for machine in machines {
            if let time = machine.stoppedUntil, now >= time { start(machine) }
        }
        for machine in broadcasters where machine.stoppedUntil == nil && machine.node.outcome != nil {
            guard broadcastsGoOn else { continue }
            let next = machine.next ?? now + world.random.span(.milliseconds(500) ... .seconds(6))
            machine.next = next
            if now >= next { broadcast(machine) }
        }
    }

    /// A broadcast begins.
    func broadcast(_ machine: BroadcastingMachine, _ song: VirtualSong? = nil, _ restart: Restart = .process) {
        let song = song ?? Self.song(machine.variant, &world.random)
        (machine.next, machine.stoppedUntil) = (nil, nil)
        machine.node = world.restart(machine.node, restart, song: song)
        note(machine.node, of: machine)
        events.append("\(now.seconds): \(machine.name) broadcasts")
    }

    func add(_ kind: Finding.Kind, _ text: String) {
        guard findings.count < 20 else { return }
        findings.append(Finding(kind, "\(text) at \(now.seconds) s"))
    }

    var summary: String {
        let joined = listeners.count { $0.joined != nil }
        return "seed \(world.seed): \(joined) listeners of \(listeners.count) let in, \(removalCount) removals, "
            + "\(admissions.tally), \(broadcasts.count) broadcasts, \(feeds.count) times fed, \(tally), "
            + "\(strangers.floodedConnectionCount) connections of floods, \(world.loop.eventCount) events"
    }
}
