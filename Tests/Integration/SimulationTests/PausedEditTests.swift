import AudioCore
import SimulationKit
import Testing
import WireProtocol

/// What is asked for while nothing sounds, or is taken back before it did: listeners' audio queues hold a few epochs
/// only, and one that is never heard must not stay there.
@Suite(.timeLimit(.minutes(5))) struct PausedEditTests {
    private let world: World
    private let broadcaster: BroadcastNode

    init() {
        world = World(seed: 1)
        for index in 1...3 { world.addListener("Listener \(index)") }
        let songs = (0..<8).map { VirtualSong(title: "song \($0)", duration: .seconds(12), variant: $0 % 4) }
        broadcaster = world.addBroadcaster("Broadcaster", songs: songs)
        world.run(for: .seconds(8))
    }

    @Test func placesSoughtWhilePausedAreNotHeardAndTheLastOneIs() {
        broadcaster.perform(.pause)
        for second in 1...6 {
            world.run(for: .seconds(1))
            broadcaster.perform(.seek(to: TimeSpan(seconds: Double(second))))
        }
        world.run(for: .seconds(1))
        broadcaster.perform(.resume)
        world.run(for: .seconds(5))
        expectInStep(song: "song 0")
    }

    @Test func songsSkippedBeforeTheySoundDoNotKeepTheNextOneSilent() {
        for _ in 0..<6 {
            broadcaster.perform(.next)
            world.run(for: .milliseconds(60))
        }
        world.run(for: .seconds(5))
        expectInStep(song: "song 6")
    }

    @Test func pausesBeforeAJointDoNotKeepTheNextSongSilent() {
        // The next song is with the listeners, and is void with every pause.
        world.run(for: .seconds(1))
        for _ in 0..<8 {
            broadcaster.perform(.pause)
            world.run(for: .milliseconds(300))
            broadcaster.perform(.resume)
            world.run(for: .milliseconds(400))
        }
        world.run(for: .seconds(6))
        expectInStep(song: "song 1")
    }

    /// Expects that all listeners hear the newest stretch, which is of this song, in step.
    private func expectInStep(song title: String) {
        guard let stretch = broadcaster.stretches.last(where: { $0.performance.song.title == title }) else {
            Issue.record("\(title) was not placed: \(broadcaster.stretches.map(\.performance.song.title))")
            return
        }
        for listener in world.listeners {
            let windows = listener.ear.windows(of: stretch.performance).compactMap { $0 }
            let heard = windows.count { $0.content == .song && abs($0.lateness.nanoseconds) < 1_000_000 }
            #expect(heard > 100, "\(listener.name) heard \(heard) of \(windows.count) windows of \(title)")
        }
    }
}
