import AudioCore
import Listening
import SimulationKit
import Testing

/// Listeners whose user shifts their sound by more than the sound card's buffer and the start delay: the most that
/// `--offset` takes.
@Suite(.timeLimit(.minutes(5))) struct OffsetTests {
    private let song = VirtualSong(title: "Song", duration: .seconds(12))

    private func world(_ seed: UInt64, shiftedBy offset: TimeSpan) -> (World, ListenNode) {
        let world = World(seed: seed)
        let shifted = world.addListener("Shifted") { $0.offset = offset }
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        return (world, shifted)
    }

    private func expectOthersUntouched(_ world: World, _ broadcaster: BroadcastNode) {
        expectWhole(world, Array(world.listeners[1...2]), broadcaster)
        // All of them, each against its own place.
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aSecondLaterIsWholeASecondLater(seed: UInt64) throws {
        let (world, shifted) = world(seed, shiftedBy: .seconds(1))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(16))
        let due = try #require(broadcaster.performance.seconds(of: 0))
        let first = try #require(shifted.ear.firstSound, "\(world.replay)")
        #expect(abs(first - due - 1) < 0.005, "\(first - due); \(world.replay)")
        expectWhole(world, [shifted], broadcaster)
        expectOthersUntouched(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aSecondSoonerMissesTheBeginningAndSaysSo(seed: UInt64) throws {
        let (world, shifted) = world(seed, shiftedBy: .seconds(-1))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(16))
        let hearing = shifted.hearing(of: broadcaster)
        #expect(hearing.isWholeFromEntry && (hearing.first ?? .max) < 55, "\(hearing); \(world.replay)")
        expectNoStraySound(world, shifted)
        let lines = shifted.notices.filter { if case .offsetTooEarly = $0.notice { true } else { false } }
        #expect(lines.count == 1, "\(shifted.notices); \(world.replay)")
        expectOthersUntouched(world, broadcaster)
    }

    /// A joiner, too, is in place as soon as what it is to play has come.
    @Test(arguments: Seeds.short, [-1, 1]) func aJoinerIsInItsPlace(seed: UInt64, seconds: Int64) throws {
        let world = World(seed: seed)
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(4))
        let joined = world.loop.now.seconds
        let shifted = world.addListener("Shifted") { $0.offset = .seconds(seconds) }
        world.run(for: .seconds(13))
        let hearing = shifted.hearing(of: broadcaster)
        #expect(hearing.isWholeFromEntry, "\(hearing); \(world.replay)")
        let first = try #require(shifted.ear.firstSound, "\(world.replay)")
        #expect(first < joined + Double(max(0, seconds)) + 1, "\(first - joined); \(world.replay)")
        expectNoStraySound(world, shifted)
        expectWhole(world, Array(world.listeners[0...1]), broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }
}
