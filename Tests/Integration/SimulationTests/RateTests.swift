import AudioCore
import Listening
import SimulationKit
import Testing

/// Clocks and sound cards that run at rates at which none should.
@Suite(.timeLimit(.minutes(5))) struct RateTests {
    private let song = VirtualSong(title: "Song", duration: .seconds(45))

    /// Runs to the song's end. Returns the greatest correction that any of these listeners made, in ppm.
    private func run(_ world: World, watching nodes: [ListenNode]) -> Double {
        var greatest = 0.0
        for _ in 0..<490 {
            world.run(for: .milliseconds(100))
            for node in nodes { greatest = max(greatest, abs(node.snapshot.correction.value)) }
        }
        return greatest
    }

    /// In step from the first sample on, as anyone is on a quiet LAN, and without haste.
    private func expectUnnoticed(_ world: World, _ broadcaster: BroadcastNode, correction: Double) {
        print("\(world.skew(of: broadcaster.performance)), correction up to \(correction) ppm")
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: .microseconds(30))
        expectCompleted(world, broadcaster)
        #expect(correction < 15, "\(world.replay)")
        for node in world.listeners {
            #expect(node.snapshot.replacementCount == 0, "\(node.name): \(node.snapshot); \(world.replay)")
        }
    }

    @Test(arguments: Seeds.short, [-1_000.0, 1_000]) func aBroadcasterWhoseClockIsFarOff(seed: UInt64, ppm: Double) {
        let world = World(seed: seed)
        for index in 1...3 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song, clockRate: PartsPerMillion(ppm))
        expectUnnoticed(world, broadcaster, correction: run(world, watching: world.listeners))
    }

    @Test(arguments: Seeds.short, [-1_000.0, 1_000]) func aListenerWhoseClockIsFarOff(seed: UInt64, ppm: Double) {
        let world = World(seed: seed)
        world.addListener("Strange", clockRate: PartsPerMillion(ppm))
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        expectUnnoticed(world, broadcaster, correction: run(world, watching: world.listeners))
    }

    /// 44.1 kHz for 48, and the other way round.
    @Test(arguments: Seeds.short, [-81_250.0, 88_435]) func aSoundCardOfAnotherRateIsSilent(seed: UInt64, ppm: Double) {
        let world = World(seed: seed)
        let lying = world.addListener("Lying", cardRate: PartsPerMillion(ppm))
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(49))
        #expect(lying.ear.firstSound == nil, "\(lying.hearing(of: broadcaster)); \(world.replay)")
        let lines = lying.notices.filter { if case .cardRateImpossible = $0.notice { true } else { false } }
        #expect(lines.count == 1, "\(lying.notices); \(world.replay)")
        expectWhole(world, Array(world.listeners[1...2]), broadcaster)
        expectInStep(world, broadcaster, among: Array(world.listeners[1...2]))
        expectCompleted(world, broadcaster)
    }
}
