import AudioCore
import Broadcasting
import SimulationKit
import Testing

/// Sources that bring a song as it is heard, and sometimes do not.
@Suite(.timeLimit(.minutes(5))) struct StallTests {
    let song = VirtualSong(title: "Station", duration: .seconds(26))

    private func live(_ seed: UInt64, pauses: [(frame: Int64, span: TimeSpan)]) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        broadcaster.livePauses = pauses
        return (world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aLiveSourceIsHeardWhole(seed: UInt64) throws {
        // A pause that is shorter than what is there.
        let (world, broadcaster) = live(seed, pauses: [(8_000 * 6, .milliseconds(500))])
        world.run(for: .seconds(31))
        #expect(
            (broadcaster.performance.seconds(of: 0) ?? .infinity) < broadcaster.began.seconds + 2, "\(world.replay)")
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    /// Silence, and then all go on at the frame that was missing, in step; so does who joined in the silence.
    @Test(arguments: Seeds.short, [TimeSpan.milliseconds(1_300), .seconds(2), .seconds(7)])
    func afterAStallAllGoOnTogether(seed: UInt64, pause: TimeSpan) throws {
        let (world, broadcaster) = live(seed, pauses: [(8_000 * 6, pause), (8_000 * 14, pause)])
        let early = world.listeners
        world.run(for: .seconds(9))
        world.addListener("Late")
        world.run(for: .seconds(23) + pause + pause)
        for listener in early {
            let hearing = listener.hearing(of: broadcaster)
            #expect(hearing.first == 0 && hearing.last == hearing.windows.count - 1, "\(hearing); \(world.replay)")
            // The edges of the silence.
            for flaw in hearing.flaws {
                #expect((298...302).contains(flaw) || (698...702).contains(flaw), "\(hearing); \(world.replay)")
            }
            expectNoStraySound(world, listener)
        }
        let late = world.listeners[3].hearing(of: broadcaster)
        #expect(late.isClean(720..<late.windows.count), "\(late); \(world.replay)")
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        expectBounded(world)
        #expect(broadcaster.notices.count { $0 == .songFellSilent } == 2, "\(broadcaster.notices)")
    }
}
