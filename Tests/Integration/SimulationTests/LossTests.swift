import AudioCore
import Broadcasting
import Listening
import Playout
import SimulationKit
import Testing

/// Machines and connections that go away.
@Suite(.timeLimit(.minutes(5))) struct LossTests {
    let song = VirtualSong(title: "Song", duration: .seconds(30))

    /// Listeners that know each other, and a broadcast that has played for ten seconds.
    private func playing(_ seed: UInt64, listeners: Int) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: listeners)
        world.run(for: .seconds(10))
        return (world, broadcaster)
    }

    @Test(arguments: Seeds.short, [false, true])
    func aListenerThatDiesIsNotNoticedByTheOthers(seed: UInt64, sayingGoodbye: Bool) throws {
        let (world, broadcaster) = playing(seed, listeners: 4)
        world.listeners[1].crash(sayingGoodbye: sayingGoodbye)
        world.run(for: .seconds(3))
        #expect(broadcaster.session.listeners.count == 3, "\(world.replay)")
        world.run(for: .seconds(22))
        let others = [world.listeners[0], world.listeners[2], world.listeners[3]]
        expectWhole(world, others, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aListenerThatStopsFallsSilentAtOnce(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let leaver = world.listeners[0]
        let stopped = world.loop.now
        leaver.stop()
        world.run(for: .seconds(25))
        let lastSound = try #require(leaver.ear.lastSound)
        #expect(lastSound < stopped.seconds + 0.065, "\(lastSound - stopped.seconds); \(world.replay)")
        #expect(leaver.outcome == .stopped)
        #expect(leaver.connectionCount == 0)
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aBroadcasterThatStopsSilencesAll(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let stopped = world.loop.now
        broadcaster.stop()
        world.run(for: .seconds(2))
        #expect(broadcaster.outcome == .stopped)
        #expect(world.areListenersIdle, "\(world.replay)")
        for listener in world.listeners {
            let lastSound = try #require(listener.ear.lastSound)
            #expect(lastSound < stopped.seconds + 0.075, "\(lastSound - stopped.seconds); \(world.replay)")
            #expect(listener.notices.contains { $0.notice == .stopped("Broadcaster") }, "\(world.replay)")
        }
    }

    @Test(arguments: Seeds.short, [false, true])
    func aBroadcasterThatDiesIsMissedAndReplaced(seed: UInt64, sayingGoodbye: Bool) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let died = world.loop.now
        broadcaster.crash(sayingGoodbye: sayingGoodbye)
        world.run(for: .seconds(15))
        for listener in world.listeners {
            let notice = try #require(
                listener.notices.first { $0.notice.isLoss }, "\(world.replay)")
            #expect(notice.time <= died + .seconds(3), "\(world.replay)")
            // What was held is played out: nearly ten seconds, without a flaw.
            let hearing = listener.hearing(of: broadcaster)
            #expect(hearing.first == 0 && (hearing.last ?? 0) > 900, "\(hearing); \(world.replay)")
            #expect(hearing.flaws.allSatisfy { $0 > (hearing.last ?? 0) - 3 }, "\(hearing); \(world.replay)")
            #expect(listener.isIdle, "\(world.replay)")
            expectNoStraySound(world, listener)
        }
        expectInStep(world, broadcaster)
        let next = world.addBroadcaster("Next", song: VirtualSong(title: "Next", duration: .seconds(5), variant: 1))
        world.run(for: .seconds(8))
        expectPromptStart(world, next)
        expectWhole(world, world.listeners, next)
        expectInStep(world, next)
        expectCompleted(world, next)
    }

    /// That the next one began later is its own word: nobody leaves what it holds for that.
    @Test(arguments: Seeds.short) func whoLostItsBroadcasterPlaysOutWhatItHoldsAndTakesTheNext(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        broadcaster.crash(sayingGoodbye: true)
        world.run(for: .seconds(1))
        let song = VirtualSong(title: "Next", duration: .seconds(20), variant: 1)
        let next = world.addBroadcaster("Next", song: song) { $0.start = .now }
        world.run(for: .seconds(25))
        for listener in world.listeners {
            let held = listener.hearing(of: broadcaster)
            #expect(held.isClean(0..<890), "\(held); \(world.replay)")
            #expect(listener.broadcasters == ["Broadcaster", "Next"], "\(world.replay)")
            let heard = listener.hearing(of: next)
            #expect((heard.cleanFrom ?? .max) < 15 * 50, "\(heard); \(world.replay)")
        }
        expectInStep(world, next, within: Reconnection.skew)
    }

    @Test(arguments: Seeds.short) func aBrokenConnectionIsNotHeard(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        world.listeners[0].breakConnections()
        world.run(for: .seconds(4))
        world.listeners[0].breakConnections()
        world.run(for: .seconds(22))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    @Test(arguments: Seeds.short) func aMachineThatStallsIsNotHeard(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        for _ in 0..<6 {
            world.listeners[0].machine.freeze(for: .milliseconds(100))
            world.run(for: .milliseconds(700))
            broadcaster.machine.freeze(for: .milliseconds(100))
            world.run(for: .milliseconds(700))
        }
        world.run(for: .seconds(16))
        for node in world.listeners { #expect(node.xrunCount == 0, "\(node.name); \(world.replay)") }
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func afterAnXrunTheSoundIsPlacedExactly(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let stalled = world.listeners[0]
        stalled.machine.freeze(for: .milliseconds(300))
        world.run(for: .seconds(24))
        #expect(stalled.xrunCount == 1, "\(world.replay)")
        let hearing = stalled.hearing(of: broadcaster)
        #expect(hearing.flaws.count < 45 && hearing.last == hearing.windows.count - 1, "\(hearing); \(world.replay)")
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aSlowListenerHarmsNobodyElse(seed: UInt64) throws {
        let long = VirtualSong(title: "Long", duration: .seconds(70))
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: long, to: 3)
        world.run(for: .seconds(10))
        let slow = world.listeners[0]
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = 8_000
        world.network.setQuality(quality, of: slow.machine)
        world.run(for: .seconds(30))
        world.network.setQuality(.quietLAN, of: slow.machine)
        world.run(for: .seconds(35))
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        let hearing = slow.hearing(of: broadcaster)
        #expect(!hearing.flaws.isEmpty && hearing.first == 0, "\(hearing); \(world.replay)")
        // In step again from 10 s after the link recovered to the end.
        #expect(hearing.isClean(2_500..<hearing.windows.count), "\(hearing); \(world.replay)")
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    @Test(arguments: Seeds.short) func aSongThatBreaksOffIsHeardUpToThere(seed: UInt64) throws {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        broadcaster.sourceFailure = (frame: 8_000 * 12, text: "the disk is on fire")
        world.run(for: .seconds(16))
        #expect(broadcaster.notices.contains(.sourceFailed("the disk is on fire")), "\(world.replay)")
        #expect(broadcaster.outcome != nil, "\(world.replay)")
        for listener in world.listeners {
            let hearing = listener.hearing(of: broadcaster)
            #expect(hearing.isClean(0..<590), "\(hearing); \(world.replay)")
            let hasToldFailure = listener.notices.contains {
                if case .failed("Broadcaster", _) = $0.notice { true } else { false }
            }
            #expect(hasToldFailure, "\(listener.notices); \(world.replay)")
            #expect(listener.isIdle, "\(world.replay)")
        }
        expectInStep(world, broadcaster)
    }
}
