import AudioCore
import SimulationKit

/// A song during which several things go wrong at once, for half a minute; then nothing does. One scenario for
/// each seed. What is wrong with it, it says itself: what must hold all the time is looked at all the time, and when
/// all is well again everyone must find together.
///
/// The first two listeners are spared, but for what happens to the broadcaster. Of three seeds one ends with the
/// broadcaster's death, and another song of its successor under the same identity.
final class FaultScenario {
    /// From the last fault's end until all live listeners are members again: the network's return, and a start.
    static let returnTime = Reconnection.time + .seconds(1)
    /// And until what is heard is whole and in step: a listener that slept or whose clock stepped learns the time anew.
    static let recovery = returnTime + World.recovery
    /// One that died without a word is missed after ``PeeringLimits/silenceTimeout``, and not before.
    static let staleTime = TimeSpan.seconds(3)
    private static let sparedCount = 2
    private static let look = TimeSpan.milliseconds(100)

    let world: World
    let slots: Int
    private(set) var schedule: [Fault] = []
    /// Who is the first listener, the second and so on now; and who was.
    private(set) var listeners: [ListenNode] = []
    private(set) var broadcaster: BroadcastNode
    /// What it was before it died, and when that was.
    private(set) var predecessor: (node: BroadcastNode, died: TrueTime)?
    private(set) var healed = TrueTime.start
    /// What was wrong while it went on.
    var findings: [Finding] = []
    /// Listeners that were started anew, and when.
    var restarts: [String: TrueTime] = [:]

    /// - Parameters:
    ///   - seconds: how long the song is; at least 60.
    ///   - fault: planted into all listeners but the first two.
    init(seed: UInt64, seconds: Int64, fault: PlantedFault? = nil) {
        world = World(seed: seed)
        slots = 3 + Int(world.random.next() % 6)
        for index in 0..<slots {
            listeners.append(
                world.addListener("Listener \(index + 1)", fault: index < Self.sparedCount ? nil : fault))
        }
        world.run(for: .seconds(3))
        broadcaster = world.addBroadcaster(
            "Broadcaster", song: VirtualSong(title: "Song", duration: .seconds(seconds)))
        makeSchedule(until: .seconds(3 + seconds - 25))
    }

    var spared: [ListenNode] { Array(listeners.prefix(Self.sparedCount)) }

    // MARK: What happens

    private func makeSchedule(until end: TimeSpan) {
        for _ in 0..<(6 + Int(world.random.next() % 12)) {
            let isBroadcasters = world.random.chance(0.2)
            let kinds = isBroadcasters ? Fault.Kind.ofBroadcasters : Fault.Kind.allCases
            let kind = kinds[Int(world.random.next() % UInt64(kinds.count))]
            let victim = Self.sparedCount + Int(world.random.next() % UInt64(slots - Self.sparedCount))
            let begin = TrueTime.start + world.random.span(.seconds(10)...end - .seconds(15))
            let fault = Fault.random(of: kind, to: isBroadcasters ? nil : victim, at: begin, using: &world.random)
            let isTooMuch = schedule.contains { $0.excludes(fault) || isSame($0, fault) }
            if !isTooMuch { schedule.append(fault) }
        }
        schedule.sort { $0.span.lowerBound < $1.span.lowerBound }
        healed = schedule.map(\.span.upperBound).max() ?? .start + end
    }

    /// What is dead or asleep needs no other fault.
    private func isSame(_ first: Fault, _ second: Fault) -> Bool {
        guard first.victim == second.victim, first.span.overlaps(second.span) else { return false }
        let alone: Set<Fault.Kind> = [.restart, .powerLoss, .sleep]
        return first.kind == second.kind || alone.contains(first.kind) || alone.contains(second.kind)
    }

    func run() {
        var begun = 0
        var under: [Fault] = []
        while world.loop.now < healed {
            world.run(until: min(world.loop.now + Self.look, healed))
            for fault in under where fault.span.upperBound <= world.loop.now { end(fault) }
            under.removeAll { $0.span.upperBound <= world.loop.now }
            while begun < schedule.count, schedule[begun].span.lowerBound <= world.loop.now {
                let fault = schedule[begun]
                world.begin(fault, of: fault.victim.map { listeners[$0] }, broadcaster)
                under.append(fault)
                begun += 1
            }
            lookForUnsafe()
        }
        for fault in under { end(fault) }
        if world.random.chance(0.33) { replaceBroadcaster() }
        converge()
    }

    private func end(_ fault: Fault) {
        guard let anew = world.end(fault, of: fault.victim.map({ listeners[$0] }), broadcaster),
            let victim = fault.victim
        else { return }
        listeners[victim] = anew
        restarts[anew.name] = world.loop.now
    }

    /// The broadcaster dies once all had it again, and comes back later under the same identity.
    private func replaceBroadcaster() {
        look(for: Self.recovery)
        let old = broadcaster
        let restart = Restart.allCases[Int(world.random.next() % 2)]
        let died = world.loop.now
        old.crash(sayingGoodbye: restart == .process)
        predecessor = (old, died)
        look(for: world.random.span(.milliseconds(200) ... .seconds(14)))
        findings += world.findingsOfSilence(after: died, listeners)
        let song = VirtualSong(title: "Next", duration: .seconds(20), variant: 1)
        broadcaster = world.restart(old, restart, song: song)
        healed = world.loop.now
    }

    private func converge() {
        look(for: Self.returnTime)
        lookForMissing()
        let end = broadcaster.began + broadcaster.performance.song.duration + .seconds(4)
        // The song is later by what the broadcaster's clock was put back.
        while broadcaster.outcome == nil, world.loop.now < end + .seconds(10) { look(for: .seconds(1)) }
        look(for: .seconds(2))
        lookForWrongEnd()
    }

    private func look(for span: TimeSpan) {
        let end = world.loop.now + span
        while world.loop.now < end {
            world.run(until: min(world.loop.now + Self.look, end))
            lookForUnsafe()
        }
    }

    var summary: String {
        "seed \(world.seed): \(slots) listeners, \(schedule.count) faults, \(world.loop.eventCount) events"
            + (predecessor == nil ? "" : ", a successor")
    }
}
