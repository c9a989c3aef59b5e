import AudioCore
import Broadcasting
import Listening
import Peering
import SimulationKit
import Testing

/// Networks that are cut, and mended.
@Suite(.timeLimit(.minutes(5))) struct ReconnectionTests {
    let song = VirtualSong(title: "Song", duration: .seconds(45))

    /// Three listeners that have heard ten seconds of a song.
    private func playing(_ seed: UInt64, mdns: Bool = true) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(10))
        return (world, broadcaster)
    }

    private func expectBack(
        _ world: World, _ broadcaster: BroadcastNode, _ nodes: [ListenNode], within span: TimeSpan = Reconnection.time,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        world.run(for: span)
        for node in nodes {
            #expect(
                broadcaster.feeds(node), "\(node.name) \(node.notices); \(world.replay)",
                sourceLocation: sourceLocation)
        }
    }

    /// All of them heard all of it, as if nothing had been.
    private func expectUnheard(
        _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectWhole(world, world.listeners, broadcaster, sourceLocation: sourceLocation)
        expectInStep(world, broadcaster, within: Reconnection.skew, sourceLocation: sourceLocation)
        expectInStep(
            world, broadcaster, among: Array(world.listeners.dropFirst()), sourceLocation: sourceLocation)
        expectCompleted(world, broadcaster, sourceLocation: sourceLocation)
        expectBounded(world, sourceLocation: sourceLocation)
    }

    /// For less than what it holds: it plays on without a gap, and fills up again.
    @Test(arguments: Seeds.short, [0.3, 1, 2.3, 2.6, 3.4, 5, 8.5])
    func aCutThatIsShorterThanWhatIsHeldIsNotHeard(seed: UInt64, seconds: Double) throws {
        let (world, broadcaster) = playing(seed)
        let listener = world.listeners[0]
        let began = world.loop.now
        world.network.cut(off: listener.machine, for: TimeSpan(seconds: seconds))
        world.run(for: TimeSpan(seconds: seconds))
        expectBack(world, broadcaster, [listener])
        if seconds > 3 {
            #expect(listener.hasToldLoss(between: began, and: began + Reconnection.noticeTime))
            #expect(broadcaster.notices.contains { $0.isGone("Listener 1") }, "\(world.replay)")
        }
        world.run(for: .seconds(3))
        let buffered = try #require(listener.session.currentReport(listener.machine.now)?.buffered, "\(world.replay)")
        #expect(buffered > Reconnection.held, "\(buffered); \(world.replay)")
        world.run(for: .seconds(32))
        expectUnheard(world, broadcaster)
    }

    /// Only one way is cut; or the machine's kernel knows, and mDNS forgets everyone.
    @Test(arguments: Seeds.short, CutDirection.allCases)
    func aCutOfOneWayIsNotHeard(seed: UInt64, direction: CutDirection) throws {
        let (world, broadcaster) = playing(seed)
        let listener = world.listeners[0]
        world.network.cut(off: listener.machine, direction, isSeen: direction == .both, for: .seconds(6))
        world.run(for: .seconds(6))
        expectBack(world, broadcaster, [listener])
        world.run(for: .seconds(32))
        expectUnheard(world, broadcaster)
    }

    @Test(arguments: Seeds.short, [false, true])
    func aBroadcasterThatIsCutOffIsNotMissed(seed: UInt64, isSeen: Bool) throws {
        let (world, broadcaster) = playing(seed)
        world.network.cut(off: broadcaster.machine, isSeen: isSeen, for: .seconds(6))
        world.run(for: .seconds(6))
        expectBack(world, broadcaster, world.listeners)
        world.run(for: .seconds(32))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: Reconnection.skew)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    /// For longer than what it holds: it fades, and is there again soon after the network is.
    @Test(arguments: Seeds.short, [(12, false), (12, true), (17, false)])
    func aLongerCutSilencesUntilItIsMended(seed: UInt64, cut: (seconds: Int64, isSeen: Bool)) throws {
        let (world, broadcaster) = playing(seed)
        let listener = world.listeners[0]
        let began = world.loop.now
        world.network.cut(off: listener.machine, isSeen: cut.isSeen, for: .seconds(cut.seconds))
        world.run(for: .seconds(cut.seconds))
        let mended = world.loop.now
        #expect(listener.hasToldLoss(between: began, and: began + Reconnection.noticeTime))
        let silent = try #require(listener.ear.lastSound)
        #expect(silent > began.seconds + Reconnection.held.seconds && silent < mended.seconds - 1)
        expectBack(world, broadcaster, [listener])
        world.run(for: .seconds(34 - cut.seconds + 4))
        let hearing = listener.hearing(of: broadcaster)
        #expect(hearing.first == 0, "\(hearing); \(world.replay)")
        let last = try #require(broadcaster.performance.window(at: silent))
        let back = try #require(
            broadcaster.performance.window(at: (mended + Reconnection.soundTime).seconds), "\(world.replay)")
        #expect(hearing.isClean(0..<last - 3), "\(hearing); \(world.replay)")
        #expect(hearing.isClean(back..<hearing.windows.count), "\(hearing); \(world.replay)")
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster)
        expectNoStraySound(world, listener)
        expectInStep(world, broadcaster, within: Reconnection.skew)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    /// Nobody can be found by mDNS: who named the other by address dials it.
    @Test(arguments: Seeds.short, [(false, 6), (false, 20), (true, 6), (true, 20)] as [(Bool, Int64)])
    func namedByAddress(seed: UInt64, cut: (isListenerNamed: Bool, seconds: Int64)) throws {
        let world = World(seed: seed)
        let listener = world.addListener("Listener", mdns: false) {
            if !cut.isListenerNamed { $0.address = NetworkAddress(host: "machine2") }
        }
        let broadcaster = world.addBroadcaster("Broadcaster", song: song, mdns: false)
        world.run(for: .milliseconds(20))
        if cut.isListenerNamed { broadcaster.name(listener: NetworkAddress(host: listener.machine.name)) }
        world.run(for: .seconds(10))
        try #require(broadcaster.feeds(listener), "\(world.replay)")
        world.network.cut(listener.machine, from: broadcaster.machine, for: .seconds(cut.seconds))
        world.run(for: .seconds(cut.seconds))
        expectBack(world, broadcaster, [listener])
        world.run(for: .seconds(50 - 12 - cut.seconds))
        let hearing = listener.hearing(of: broadcaster)
        #expect(
            cut.seconds > 10 ? hearing.isClean(35 * 50..<hearing.windows.count) : hearing.isWhole,
            "\(hearing); \(world.replay)")
        expectCompleted(world, broadcaster)
    }

    /// Both sides learn at the same time that a connection broke, and call each other at the same time.
    @Test(arguments: Seeds.short) func crossedDialsAreNotHeard(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed)
        for index in [0, 1, 2, 0, 0] {
            world.crossDials(world.listeners[index])
            world.run(for: .seconds(2))
            #expect(broadcaster.feeds(world.listeners[index]), "\(world.replay)")
            #expect(broadcaster.connectionCount == 3, "\(world.replay)")
        }
        world.run(for: .seconds(30))
        expectUnheard(world, broadcaster)
    }
}
