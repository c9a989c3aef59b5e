import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing

/// Listeners that come when the music plays already, and networks that are not quiet.
@Suite(.timeLimit(.minutes(5))) struct JoinTests {
    let song = VirtualSong(title: "Song", duration: .seconds(30))

    @Test(arguments: Seeds.short) func aLateListenerIsInStepFromItsFirstSample(seed: UInt64) throws {
        let world = World(seed: seed)
        world.addListener("Early")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(10))
        let joined = world.loop.now
        let late = world.addListener("Late")
        world.run(for: .seconds(24))
        expectWhole(world, [world.listeners[0]], broadcaster)
        #expect(late.hearing(of: broadcaster).isWholeFromEntry, "\(late.hearing(of: broadcaster)); \(world.replay)")
        let first = try #require(late.ear.firstSound)
        #expect(first < joined.seconds + 1, "\(first - joined.seconds); \(world.replay)")
        expectNoStraySound(world, late)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    /// On a link that carries thrice what the song needs, filling the buffer takes seconds; the sound does not wait for
    /// it.
    @Test(arguments: Seeds.short) func aJoinerSoundsLongBeforeItsBufferIsFull(seed: UInt64) throws {
        let world = World(seed: seed)
        world.addListener("Early")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(10))
        let joined = world.loop.now
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = 3 * VirtualSong.sampleRate * 4
        let late = world.addListener("Late", quality: quality)
        let hasSounded = world.run(atMost: .seconds(2)) { late.ear.firstSound != nil }
        try #require(hasSounded, "\(world.replay)")
        let first = try #require(late.ear.firstSound)
        #expect(first < joined.seconds + 1, "\(first - joined.seconds); \(world.replay)")
        let horizon = BroadcastConfiguration(greeting: broadcaster.greeting, clockPort: 0).horizon
        let buffered = try #require(late.session.currentReport(late.machine.now)?.buffered, "\(world.replay)")
        #expect(buffered < horizon * 0.25, "\(buffered); \(world.replay)")
        // Then it fills.
        world.run(for: .seconds(8))
        let filled = try #require(late.session.currentReport(late.machine.now)?.buffered, "\(world.replay)")
        #expect(filled > horizon * 0.9, "\(filled); \(world.replay)")
        world.run(for: .seconds(16))
        #expect(late.hearing(of: broadcaster).isWholeFromEntry, "\(late.hearing(of: broadcaster)); \(world.replay)")
        #expect(late.snapshot.underrunCount == 0, "\(late.snapshot); \(world.replay)")
        expectWhole(world, [world.listeners[0]], broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func onceMeansOnce(seed: UInt64) throws {
        let world = World(seed: seed)
        let listener = world.addListener("Listener") { $0.once = true }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(34))
        #expect(listener.outcome == .completed, "\(world.replay)")
        expectWhole(world, [listener], broadcaster)
        expectCompleted(world, broadcaster)
    }

    /// One listener of 400 begins with a rate that is 170 ppm wrong, as one of those of seed 42 does.
    @Test(arguments: Seeds.short + [42]) func radioCarriesTheSongWhole(seed: UInt64) throws {
        let world = World(seed: seed)
        world.quality = .wireless
        let broadcaster = world.beginBroadcast(of: song, to: 4)
        world.run(for: .seconds(34))
        for listener in world.listeners {
            let hearing = listener.hearing(of: broadcaster)
            #expect(hearing.isUnbroken, "\(listener.name): \(hearing); \(world.replay)")
            #expect(listener.snapshot.replacementCount == 0, "\(listener.name); \(world.replay)")
        }
        expectInStep(world, broadcaster, within: .milliseconds(1))
        expectCompleted(world, broadcaster)
    }

    @Test func oneSeedReplaysARunExactly() {
        func run() -> [Int64] {
            let world = World(seed: 7)
            world.quality = .wireless
            for index in 1...3 { world.addListener("Listener \(index)") }
            world.run(for: .seconds(2))
            let broadcaster = world.addBroadcaster("Broadcaster", song: song)
            world.run(for: .seconds(8))
            world.listeners[0].breakConnections()
            world.addListener("Late")
            world.run(for: .seconds(8))
            let lateness = world.listeners.flatMap { listener in
                listener.ear.windows(of: broadcaster.performance).map { $0?.lateness.nanoseconds ?? .min }
            }
            return lateness + [Int64(world.loop.eventCount)]
        }
        #expect(run() == run())
    }
}
