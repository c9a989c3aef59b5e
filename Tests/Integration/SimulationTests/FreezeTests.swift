import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing

/// Machines that stand still for a tenth of a second while their sound cards run on: what it costs is not heard.
@Suite(.timeLimit(.minutes(5))) struct FreezeTests {
    private static let span = TimeSpan.milliseconds(100)
    /// Phases of a scenario, and how far apart they are; each freeze begins somewhere within its phase.
    private static let phases: Range<Int64> = 0..<20
    private static let phaseMilliseconds: Int64 = 60

    enum Victim: CaseIterable {
        case listener
        case broadcaster
        case everyone
    }

    private func freeze(_ victim: Victim, in world: World, _ broadcaster: BroadcastNode) {
        if victim != .listener { broadcaster.machine.freeze(for: Self.span) }
        let listeners = victim == .listener ? [world.listeners[0]] : victim == .everyone ? world.listeners : []
        for listener in listeners { listener.machine.freeze(for: Self.span) }
    }

    /// Runs into a phase of a scenario that has just begun.
    private func run(into phase: Int64, of world: World) {
        let begin = TimeSpan.milliseconds(phase * Self.phaseMilliseconds)
        world.run(for: begin + world.random.span(.zero ... .milliseconds(Self.phaseMilliseconds)))
    }

    private func expectUnheard(
        _ world: World, _ broadcaster: BroadcastNode, within limit: TimeSpan = .microseconds(50),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectInStep(world, broadcaster, within: limit, sourceLocation: sourceLocation)
        expectCompleted(world, broadcaster, sourceLocation: sourceLocation)
        for node in world.listeners {
            #expect(node.xrunCount == 0, "\(node.name); \(world.replay)", sourceLocation: sourceLocation)
            let snapshot = node.snapshot
            #expect(
                snapshot.replacementCount == 0, "\(node.name): \(snapshot); \(world.replay)",
                sourceLocation: sourceLocation)
        }
    }

    private func twoListeners(_ seed: UInt64) -> World {
        let world = World(seed: seed)
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .milliseconds(1_500))
        return world
    }

    /// Freezes at a phase of a start that has just been asked for; nobody may hear of it.
    private func expectAStart(
        of broadcaster: BroadcastNode, in world: World, unheard victim: Victim, at phase: Int64
    ) {
        run(into: phase, of: world)
        freeze(victim, in: world, broadcaster)
        world.run(for: .milliseconds(5_000 - phase * Self.phaseMilliseconds))
        expectWhole(world, world.listeners, broadcaster)
        expectUnheard(world, broadcaster)
    }

    /// While peers are found, the stream is opened, the start is decided, the silence in the sound card is taken back,
    /// the first frame sounds, and after.
    @Test(arguments: Seeds.short, Victim.allCases) func aroundAStart(seed: UInt64, victim: Victim) {
        for phase in Self.phases {
            let world = twoListeners(seed)
            let song = VirtualSong(title: "Song", duration: .seconds(2))
            let broadcaster = world.addBroadcaster("Broadcaster", song: song)
            expectAStart(of: broadcaster, in: world, unheard: victim, at: phase)
        }
    }

    /// A broadcast is stopped, which takes its sound back from the sound cards, and another begins at once.
    @Test(arguments: Seeds.short, Victim.allCases) func whileOneBroadcastFollowsAnother(seed: UInt64, victim: Victim) {
        for phase in Self.phases {
            let world = twoListeners(seed)
            let first = world.addBroadcaster(
                "First", song: VirtualSong(title: "First", duration: .seconds(20), variant: 1))
            world.run(for: .seconds(2))
            first.stop()
            let song = VirtualSong(title: "Song", duration: .seconds(2))
            let broadcaster = world.addBroadcaster("Broadcaster", song: song)
            expectAStart(of: broadcaster, in: world, unheard: victim, at: phase)
        }
    }

    /// The joiner, the broadcaster or both stand still while one comes late.
    @Test(arguments: Seeds.short, Victim.allCases) func whileOneJoins(seed: UInt64, victim: Victim) {
        for phase in Self.phases {
            let world = World(seed: seed)
            let song = VirtualSong(title: "Song", duration: .seconds(5))
            let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.start = .now }
            world.run(for: .seconds(1))
            let joiner = world.addListener("Joiner")
            world.addListener("Other")
            run(into: phase, of: world)
            freeze(victim, in: world, broadcaster)
            world.run(for: .milliseconds(7_000 - phase * Self.phaseMilliseconds))
            for node in world.listeners {
                let hearing = node.hearing(of: broadcaster)
                #expect(hearing.isWholeFromEntry, "\(node.name): \(hearing); \(world.replay)")
                expectNoStraySound(world, node)
            }
            let heard = joiner.hearing(of: broadcaster).first ?? .max
            #expect(heard < 2 * 50, "from window \(heard); \(world.replay)")
            // Where the first exchanges fall into the freeze, little is known of the rate when the sound begins.
            expectUnheard(world, broadcaster, within: .microseconds(80))
        }
    }

    /// All machines, one after the other and together, again and again.
    @Test(arguments: Seeds.short) func inTheMidstOfASong(seed: UInt64) {
        let world = twoListeners(seed)
        let song = VirtualSong(title: "Song", duration: .seconds(30))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(2))
        for turn in 0..<30 {
            freeze(Victim.allCases[turn % 3], in: world, broadcaster)
            world.run(for: .milliseconds(700) + world.random.span(.zero ... .milliseconds(200)))
        }
        world.run(for: .seconds(10))
        expectWhole(world, world.listeners, broadcaster)
        expectUnheard(world, broadcaster)
    }

    /// All machines stand still for longer than any silence is borne: nobody was silent, so nobody is given up.
    @Test(arguments: Seeds.short, [3, 8] as [Int64]) func noConnectionIsGivenUpForWhatWasNotRead(
        seed: UInt64, seconds: Int64
    ) {
        let world = twoListeners(seed)
        let song = VirtualSong(title: "Song", duration: .seconds(30))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(5))
        for machine in [broadcaster.machine] + world.listeners.map(\.machine) { machine.freeze(for: .seconds(seconds)) }
        world.run(for: .seconds(seconds + 4))
        #expect(!broadcaster.notices.contains { $0.isGone() }, "\(broadcaster.notices); \(world.replay)")
        for listener in world.listeners {
            #expect(
                !listener.notices.contains { $0.notice.isLoss }, "\(listener.notices); \(world.replay)")
        }
        world.run(for: .seconds(25))
        expectCompleted(world, broadcaster)
    }
}
