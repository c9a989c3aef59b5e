import AudioCore
import SimulationKit
import Testing

/// Many listeners for a long time, to whom everything happens that a machine must survive.
@Suite struct HourTests {
    /// How long after a fault a listener may be elsewhere, or silent.
    private static let recovery = TimeSpan.seconds(2)

    @Test(arguments: [1]) func twentyListenersAndManyFaults(seed: UInt64) {
        let seconds: Int64 = Seeds.isLong ? 3_600 : 240
        let world = World(seed: seed)
        let song = VirtualSong(title: "Song", duration: .seconds(seconds))
        let broadcaster = world.beginBroadcast(of: song, to: 20)
        world.run(for: .seconds(5))
        for _ in 0..<(seconds - 40) / 2 {
            disturb(world, broadcaster)
            world.run(for: .seconds(2))
        }
        world.run(for: .seconds(40))
        let skew = world.skew(of: broadcaster.performance, quiet: Self.recovery)
        print("\(seconds) s of twenty listeners: \(skew); \(world.loop.eventCount) events")
        #expect(skew.p99 <= .microseconds(21), "\(skew); \(world.replay)")
        #expect(skew.comparedWindowCount > song.windowCount * 8 / 10, "\(skew); \(world.replay)")
        #expect(broadcaster.outcome == .completed, "\(world.replay)")
        for listener in world.listeners {
            expectNoStraySound(world, listener)
            let hearing = listener.hearing(of: broadcaster)
            #expect(hearing.last == hearing.windows.count - 1, "\(listener.name): \(hearing); \(world.replay)")
        }
        expectBounded(world)
    }

    private func disturb(_ world: World, _ broadcaster: BroadcastNode) {
        let listener = world.listeners[Int(world.random.next() % UInt64(world.listeners.count))]
        let step = world.random.span(.milliseconds(-500) ... .milliseconds(500))
        switch world.random.next() % 50 {
        case 0..<3: listener.machine.freeze(for: .milliseconds(65))
        case 3: listener.machine.freeze(for: .milliseconds(400))
        case 4: broadcaster.machine.freeze(for: .milliseconds(65))
        case 5: broadcaster.machine.freeze(for: .milliseconds(400))
        case 6: listener.machine.suspend(for: world.random.span(.seconds(1) ... .seconds(30)))
        case 7: listener.machine.stepClock(by: step)
        case 8: listener.stallCard(for: .seconds(1))
        case 9: listener.breakConnections()
        case 10: broadcaster.machine.stepClock(by: step)
        default: break
        }
    }
}
