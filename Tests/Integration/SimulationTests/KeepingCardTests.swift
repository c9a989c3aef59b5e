import AudioCore
import Broadcasting
import SimulationKit
import Testing
import WireProtocol

/// Commands to households in which one sound card keeps what is written to it.
@Suite(.timeLimit(.minutes(5))) struct KeepingCardTests {
    /// Two listeners whose cards give back what they hold, and one whose card keeps it.
    private func household(_ seed: UInt64, holding held: TimeSpan) -> (world: World, broadcaster: BroadcastNode) {
        let world = World(seed: seed)
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.addListener("Kitchen", cardHolding: held)
        world.run(for: .seconds(3))
        let songs = (0..<3).map { VirtualSong(title: "song \($0)", duration: .seconds(60), variant: $0) }
        let broadcaster = world.addBroadcaster("Broadcaster", songs: songs)
        world.run(for: .seconds(6))
        return (world, broadcaster)
    }

    /// When each listener's sound ended, in seconds from the first one on.
    private func ends(_ world: World) throws -> [Double] {
        let ends = try world.listeners.map { try #require($0.ear.lastSound) }
        let first = try #require(ends.min())
        return ends.map { $0 - first }
    }

    /// Expects that all sound in step, after what a late one still had of something else: 180 ms at most.
    private func expectInStep(_ world: World, _ broadcaster: BroadcastNode, song title: String) throws {
        let stretch = try #require(broadcaster.stretches.last { $0.performance.song.title == title })
        for listener in world.listeners {
            let windows = listener.ear.windows(of: stretch.performance).compactMap { $0 }
            let heard = windows.count { $0.content == .song && abs($0.lateness.nanoseconds) < 1_000_000 }
            let others = windows.count { $0.content == .other }
            let late = listener.name == "Kitchen" ? 10 : 2
            #expect(heard > 100 && others <= late, "\(listener.name): \(heard) and \(others); \(world.replay)")
        }
    }

    private func pauseAndGoOn(_ world: World, _ broadcaster: BroadcastNode) throws -> [Double] {
        broadcaster.perform(.pause)
        world.run(for: .seconds(2))
        let ends = try ends(world)
        broadcaster.perform(.resume)
        world.run(for: .seconds(4))
        try expectInStep(world, broadcaster, song: "song 0")
        broadcaster.perform(.next)
        world.run(for: .seconds(4))
        try expectInStep(world, broadcaster, song: "song 1")
        return ends
    }

    @Test(arguments: Seeds.short) func aPauseAllowsForACardThatKeepsItsBuffer(seed: UInt64) throws {
        let (world, broadcaster) = household(seed, holding: .milliseconds(150))
        let ends = try pauseAndGoOn(world, broadcaster)
        #expect(ends.allSatisfy { $0 < 0.002 }, "\(ends); \(world.replay)")
        #expect(!broadcaster.notices.contains { if case .followsLate = $0 { true } else { false } })
    }

    @Test(arguments: Seeds.short) func aCardThatKeepsMoreIsLateAloneAndToldOf(seed: UInt64) throws {
        let (world, broadcaster) = household(seed, holding: .milliseconds(480))
        let ends = try pauseAndGoOn(world, broadcaster)
        #expect(ends[..<2].allSatisfy { $0 < 0.002 } && ends[2] > 0.1 && ends[2] < 0.3, "\(ends); \(world.replay)")
        let told = broadcaster.notices.compactMap { notice -> TimeSpan? in
            if case .followsLate("Kitchen", let held) = notice { held } else { nil }
        }
        #expect(told.count == 1 && told.allSatisfy { $0 >= .milliseconds(480) && $0 < .milliseconds(520) }, "\(told)")
    }
}
