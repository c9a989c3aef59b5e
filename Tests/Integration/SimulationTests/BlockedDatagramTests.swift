import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing

/// Networks that carry TCP and stop UDP.
@Suite(.timeLimit(.minutes(5))) struct BlockedDatagramTests {
    private static let blocked: LinkQuality = {
        var quality = LinkQuality.quietLAN
        quality.datagramLoss = 1
        return quality
    }()
    private let blocked = ListenNotice.clockPath("Broadcaster", .tcp)
    private let song = VirtualSong(title: "Song", duration: .seconds(16))

    /// What each listener publishes, if it is not too good to be true: nobody was ever further off.
    private func expectHonestBounds(
        _ world: World, _ broadcaster: BroadcastNode, below limit: TimeSpan = .microseconds(500)
    ) throws {
        for node in world.listeners {
            let timing = try #require(node.session.currentReport(node.machine.now)?.timing, "\(world.replay)")
            let off = try #require(node.clockError(against: broadcaster), "\(world.replay)")
            #expect(off.magnitude <= timing.errorBound, "\(node.name): \(off.microseconds) us; \(world.replay)")
            #expect(timing.errorBound < limit, "\(node.name): \(timing.errorBound); \(world.replay)")
        }
    }

    @Test(arguments: Seeds.short) func everyoneHearsAllOfItInStepAndIsTold(seed: UInt64) throws {
        let world = World(seed: seed)
        world.quality = Self.blocked
        let broadcaster = world.beginBroadcast(of: song, to: 4)
        world.run(for: .seconds(10))
        try expectHonestBounds(world, broadcaster)
        world.run(for: .seconds(11))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: .milliseconds(1))
        for node in world.listeners {
            #expect(node.notices.filter { $0.notice == blocked }.count == 1, "\(node.name); \(world.replay)")
            #expect(node.snapshot.replacementCount == 0, "\(node.name); \(world.replay)")
            #expect(broadcaster.notices.count { $0 == .clockOverTCP(node.name) } == 1, "\(world.replay)")
        }
        expectCompleted(world, broadcaster)
        expectBounded(world)
        print("without UDP: \(world.skew(of: broadcaster.performance))")
    }

    /// Retransmissions hold up what is behind them, replies too.
    @Test(arguments: Seeds.short) func radioCarriesTheClockToo(seed: UInt64) throws {
        let world = World(seed: seed)
        world.quality = .wireless
        world.quality.datagramLoss = 1
        for index in 1...3 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.start = .whenReady(listeners: 3) }
        world.run(for: .seconds(1))
        for _ in 0..<4 {
            world.run(for: .seconds(3))
            try expectHonestBounds(world, broadcaster, below: .milliseconds(30))
        }
        world.run(for: .seconds(8))
        for node in world.listeners {
            #expect(node.notices.contains { $0.notice == blocked }, "\(node.name); \(world.replay)")
            #expect(node.snapshot.replacementCount == 0, "\(node.name); \(world.replay)")
            #expect(node.hearing(of: broadcaster).isUnbroken, "\(node.hearing(of: broadcaster)); \(world.replay)")
        }
        expectInStep(world, broadcaster, within: .milliseconds(1))
        expectCompleted(world, broadcaster)
    }

    /// One whose UDP is stopped, beside others, joins while they play: ten seconds of song come over its connection.
    @Test(arguments: Seeds.short) func oneJoinsLateAmongOthers(seed: UInt64) throws {
        let world = World(seed: seed)
        world.addListener("Free")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(4))
        let late = world.addListener("Late", quality: Self.blocked)
        world.run(for: .seconds(17))
        expectWhole(world, [world.listeners[0]], broadcaster)
        #expect(world.listeners[0].notices.allSatisfy { $0.notice != blocked }, "\(world.replay)")
        #expect(late.hearing(of: broadcaster).isWholeFromEntry, "\(late.hearing(of: broadcaster)); \(world.replay)")
        #expect(late.notices.contains { $0.notice == blocked }, "\(world.replay)")
        expectInStep(world, broadcaster, within: .milliseconds(1))
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func whenUDPGetsThroughItIsUsedAgain(seed: UInt64) throws {
        let world = World(seed: seed)
        world.quality = Self.blocked
        let broadcaster = world.beginBroadcast(of: song, to: 2)
        world.run(for: .seconds(6))
        for machine in world.listeners.map(\.machine) + [broadcaster.machine] {
            world.network.setQuality(.quietLAN, of: machine)
        }
        world.run(for: .seconds(7))
        for node in world.listeners {
            #expect(node.notices.contains { $0.notice == .clockPath("Broadcaster", .udp) }, "\(world.replay)")
            let off = try #require(node.clockError(against: broadcaster), "\(world.replay)")
            #expect(off.magnitude < .microseconds(10), "\(node.name): \(off.microseconds) us; \(world.replay)")
        }
        world.run(for: .seconds(8))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: .milliseconds(1))
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func aFirewallThatGoesUpInTheMiddleIsNotHeard(seed: UInt64) throws {
        let song = VirtualSong(title: "Song", duration: .seconds(45))
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 2)
        world.run(for: .seconds(5))
        world.network.setQuality(Self.blocked, of: world.listeners[0].machine)
        world.run(for: .seconds(35))
        try expectHonestBounds(world, broadcaster)
        world.run(for: .seconds(10))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: .milliseconds(1))
        #expect(world.listeners[0].snapshot.replacementCount == 0, "\(world.replay)")
        #expect(world.listeners[0].notices.contains { $0.notice == blocked }, "\(world.replay)")
        #expect(world.listeners[1].notices.allSatisfy { $0.notice != blocked }, "\(world.replay)")
        expectCompleted(world, broadcaster)
    }
}
