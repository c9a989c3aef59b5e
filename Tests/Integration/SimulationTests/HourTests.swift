import AudioCore
import SimulationKit
import Testing

/// Many listeners for a long time, to whom everything happens that a machine must survive.
@Suite(.timeLimit(.minutes(30))) struct HourTests {
    @Test(arguments: Seeds.hour) func twentyListenersAndManyFaults(seed: UInt64) {
        let seconds: Int64 = Seeds.isLong ? 3_600 : 240
        let world = World(seed: seed)
        let song = VirtualSong(title: "Song", duration: .seconds(seconds))
        let broadcaster = world.playThroughTroubles(song, seconds: seconds, to: 20)
        let skew = world.skew(of: broadcaster.performance, quiet: World.recovery)
        print("\(seconds) s of twenty listeners: \(skew); \(world.loop.eventCount) events")
        #expect(skew.p99 <= .microseconds(21), "\(skew); \(world.replay)")
        #expect(skew.worst <= .microseconds(50), "\(skew); \(world.replay)")
        #expect(skew.comparedWindowCount > song.windowCount * 8 / 10, "\(skew); \(world.replay)")
        #expect(broadcaster.outcome == .completed, "\(world.replay)")
        for listener in world.listeners {
            expectNoStraySound(world, listener)
            let missing = world.missingWindows(of: broadcaster.performance, for: listener, quiet: World.recovery)
            let hearing = listener.hearing(of: broadcaster)
            let shown = missing.prefix(8).map { "\($0): \(String(describing: hearing.windows[$0]))" }
            #expect(
                missing.isEmpty, "\(listener.name) misses \(missing.count) windows, \(shown); \(world.replay)")
        }
        expectBounded(world)
    }
}
