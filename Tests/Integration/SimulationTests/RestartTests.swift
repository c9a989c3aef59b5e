import AudioCore
import SimulationKit
import Testing

/// Machines and programs that end and are started anew.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    let song = VirtualSong(title: "Song", duration: .seconds(30))
    let next = VirtualSong(title: "Next", duration: .seconds(20), variant: 1)

    private func playing(_ seed: UInt64) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(8))
        return (world, broadcaster)
    }

    /// Listeners leave what they hold for what the same broadcaster plays now.
    @Test(arguments: Seeds.short, Restart.allCases)
    func aBroadcasterThatIsStartedAnewIsFollowed(seed: UInt64, restart: Restart) throws {
        for pause in [TimeSpan.milliseconds(300), .seconds(5), .seconds(25)] {
            let (world, broadcaster) = playing(seed)
            broadcaster.crash(sayingGoodbye: restart == .process)
            world.run(for: pause)
            let anew = world.restart(broadcaster, restart, song: next)
            world.run(for: .seconds(2))
            for listener in world.listeners {
                #expect(anew.feeds(listener), "\(pause): \(listener.notices); \(world.replay)")
            }
            world.run(for: .seconds(22))
            for listener in world.listeners {
                let hearing = listener.hearing(of: anew)
                #expect(hearing.isWholeFromEntry, "\(pause): \(hearing); \(world.replay)")
                #expect((hearing.first ?? .max) < 50, "\(pause): \(hearing); \(world.replay)")
                expectNoStraySound(world, listener)
            }
            expectInStep(world, anew)
            expectCompleted(world, anew)
            expectBounded(world)
        }
    }

    @Test(arguments: Seeds.short, Restart.allCases)
    func aListenerThatIsStartedAnewComesBack(seed: UInt64, restart: Restart) throws {
        let (world, broadcaster) = playing(seed)
        let others = Array(world.listeners.dropFirst())
        let listener = world.listeners[0]
        listener.crash(sayingGoodbye: restart == .process)
        world.run(for: .seconds(1))
        let anew = world.restart(listener, restart)
        let started = world.loop.now
        world.run(for: Reconnection.soundTime)
        #expect((anew.ear.firstSound ?? .infinity) < (started + Reconnection.soundTime).seconds, "\(world.replay)")
        world.run(for: .seconds(1))
        #expect(broadcaster.session.listeners.count == 3, "\(broadcaster.session.listeners); \(world.replay)")
        #expect(broadcaster.feeds(anew), "\(world.replay)")
        world.run(for: .seconds(24))
        #expect(anew.hearing(of: broadcaster).isWholeFromEntry, "\(anew.hearing(of: broadcaster)); \(world.replay)")
        expectWhole(world, others, broadcaster)
        expectInStep(world, broadcaster, among: others + [anew])
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }
}
