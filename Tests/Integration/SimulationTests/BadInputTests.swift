import AudioCore
import ClockSync
import Listening
import Playout
import SimulationKit
import Testing

/// Peers, clocks, networks and sound cards that misbehave: silence rather than noise, and in step again after a time
/// that is known.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
    /// Listeners that have heard ten seconds of a song of two minutes.
    private func playing(_ seed: UInt64, listeners: Int) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let song = VirtualSong(title: "Song", duration: .seconds(120))
        let broadcaster = world.beginBroadcast(of: song, to: listeners)
        world.run(for: .seconds(10))
        return (world, broadcaster)
    }

    /// The song from `time` on, clean and in step; before that nothing but the song or silence, a fade in between.
    private func expectRecovered(
        _ world: World, _ nodes: [ListenNode], _ broadcaster: BroadcastNode, from time: Double, fades: Int = 6,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let position = try #require(broadcaster.performance.position(at: time))
        let window = Int(position) / HeardWindow.frameCount
        for node in nodes {
            let hearing = node.hearing(of: broadcaster)
            #expect(
                hearing.isClean(window..<hearing.windows.count),
                "\(node.name): \(hearing), to be clean from \(window); \(world.replay)", sourceLocation: sourceLocation)
            let others = hearing.windows.count { $0?.content == .other }
            #expect(others <= fades, "\(node.name): \(hearing); \(world.replay)", sourceLocation: sourceLocation)
            expectNoStraySound(world, node, sourceLocation: sourceLocation)
        }
        expectInStep(world, broadcaster, sourceLocation: sourceLocation)
        expectBounded(world, sourceLocation: sourceLocation)
    }

    // MARK: A broadcaster that is away

    /// How a broadcaster is away: nothing runs on its machine while the clock goes on, or the clock sleeps as well.
    enum Absence: CaseIterable {
        case stopped
        case asleep
    }

    @Test(arguments: Seeds.short, Absence.allCases)
    func aBroadcasterThatIsAwayForAMinute(seed: UInt64, absence: Absence) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        switch absence {
        case .stopped: broadcaster.machine.freeze(for: .seconds(60))
        case .asleep: broadcaster.machine.suspend(for: .seconds(60))
        }
        world.run(for: .seconds(60))
        let woken = world.loop.now.seconds
        for listener in world.listeners {
            #expect(listener.notices.contains { $0.notice.isLoss }, "\(world.replay)")
        }
        // A clock that slept holds the song up; one that was stopped found it gone on.
        world.run(for: absence == .stopped ? .seconds(60) : .seconds(120))
        try expectRecovered(world, world.listeners, broadcaster, from: woken + 5)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short, [1, 3, 12, 60]) func aListenerThatSleeps(seed: UInt64, seconds: Int64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let sleeper = world.listeners[0]
        sleeper.machine.suspend(for: .seconds(seconds))
        world.run(for: .seconds(seconds))
        let woken = world.loop.now.seconds
        world.run(for: .seconds(120 - seconds))
        // Less than 100 ms of what it held, before its first turn is heard; the sound's end before, and its return.
        try expectRecovered(world, [sleeper], broadcaster, from: woken + 2, fades: 7)
        let slept = sleeper.notices.filter { if case .slept(_, "Broadcaster") = $0.notice { true } else { false } }
        #expect(slept.count == 1, "\(world.replay)")
        if case .slept(let span, _) = slept.first?.notice { #expect(Int64(span.seconds.rounded()) == seconds) }
        #expect(sleeper.xrunCount == 1, "\(world.replay)")
        #expect(sleeper.broadcasters == ["Broadcaster"], "\(world.replay)")
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aListenerThatIsPutAwayForAMinuteAndNotTold(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let sleeper = world.listeners[0]
        sleeper.machine.suspend(for: .seconds(60), isToldByKernel: false)
        world.run(for: .seconds(60))
        let woken = world.loop.now.seconds
        world.run(for: .seconds(60))
        // Until it learns what it missed, it goes on where it was.
        try expectRecovered(world, [sleeper], broadcaster, from: woken + 2, fades: 100)
        #expect(sleeper.xrunCount == 1, "\(world.replay)")
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectCompleted(world, broadcaster)
    }

    // MARK: Clocks

    @Test(arguments: Seeds.short, [-400, 400]) func clocksThatJump(seed: UInt64, milliseconds: Int64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let jumper = world.listeners[0]
        jumper.machine.stepClock(by: .milliseconds(milliseconds))
        var jumped = world.loop.now.seconds
        world.run(for: .seconds(20))
        try expectRecovered(world, [], broadcaster, from: jumped + 2)
        #expect(jumper.hearing(of: broadcaster).windows[(10 + 2) * 50]?.content == .song, "\(world.replay)")
        #expect(jumper.clockEstimate?.generation == 1, "\(world.replay)")
        broadcaster.machine.stepClock(by: .milliseconds(milliseconds))
        jumped = world.loop.now.seconds
        world.run(for: .seconds(110))
        try expectRecovered(world, world.listeners, broadcaster, from: jumped + 2, fades: 120)
    }

    // MARK: Datagrams

    @Test(arguments: Seeds.short) func datagramsThatComeTwiceOrInWrongOrder(seed: UInt64) throws {
        let world = World(seed: seed)
        world.quality.datagramDuplication = 0.3
        world.quality.datagramHoldProbability = 0.2
        world.quality.datagramHold = .milliseconds(700)
        let song = VirtualSong(title: "Song", duration: .seconds(60))
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(55))
        for listener in world.listeners {
            let ignored = listener.clockStatistics?.ignored ?? 0
            #expect(ignored > 10, "\(ignored); \(world.replay)")
        }
        world.run(for: .seconds(9))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aPathThatIsLongerOneWay(seed: UInt64) throws {
        let extra = TimeSpan.microseconds(400)
        let world = World(seed: seed)
        var quality = LinkQuality.quietLAN
        quality.outboundDelay = extra
        let far = world.addListener("Far", quality: quality)
        let song = VirtualSong(title: "Song", duration: .seconds(60))
        let broadcaster = world.beginBroadcast(of: song, to: 2)
        world.run(for: .seconds(30))
        // No exchange can see it; the limit that is published says so.
        let limit = try #require(far.clockEstimate?.asymmetryLimit)
        #expect(limit >= extra * 0.5 && limit < extra, "\(limit); \(world.replay)")
        world.run(for: .seconds(34))
        expectWhole(world, world.listeners, broadcaster)
        let lateness = far.hearing(of: broadcaster).windows.compactMap { $0?.lateness }
        let expected = extra * -0.5
        let farthest = lateness.map { ($0 - expected).magnitude }.max() ?? extra
        #expect(farthest < .microseconds(30), "\(farthest); \(world.replay)")
        expectInStep(world, broadcaster, among: Array(world.listeners.dropFirst()))
        expectCompleted(world, broadcaster)
    }

    // MARK: Sound cards

    @Test(arguments: Seeds.short) func aSoundCardThatStandsStillForASecond(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed, listeners: 3)
        let stalled = world.listeners[0]
        stalled.stallCard(for: .seconds(1))
        let gone = world.loop.now.seconds + 1
        world.run(for: .seconds(20))
        #expect(stalled.snapshot.deviceClockStepCount == 1, "\(stalled.snapshot); \(world.replay)")
        #expect(stalled.snapshot.replacementCount == 1, "\(stalled.snapshot); \(world.replay)")
        world.run(for: .seconds(100))
        try expectRecovered(world, [stalled], broadcaster, from: gone + 2, fades: 60)
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectCompleted(world, broadcaster)
    }
}
