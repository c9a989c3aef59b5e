import AudioCore
import Broadcasting
import Peering
import SimulationKit
import Testing

/// How broadcasts begin.
@Suite(.timeLimit(.minutes(5))) struct StartTests {
    let song = VirtualSong(title: "Song", duration: .seconds(8))

    @Test(arguments: Seeds.short) func everyoneHearsAllOfItInStep(seed: UInt64) throws {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 8)
        world.run(for: .seconds(11))
        expectPromptStart(world, broadcaster)
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        #expect(world.areListenersIdle, "\(world.replay)")
        expectBounded(world)
    }

    @Test(arguments: Seeds.short) func aSecondSongFollowsTheFirst(seed: UInt64) throws {
        let world = World(seed: seed)
        for index in 1...3 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        for (index, title) in ["One", "Two", "Three"].enumerated() {
            let song = VirtualSong(title: title, duration: .seconds(3), variant: index)
            let broadcaster = world.addBroadcaster("Broadcaster \(index)", song: song)
            world.run(for: .seconds(6))
            expectPromptStart(world, broadcaster)
            expectWhole(world, world.listeners, broadcaster)
            expectInStep(world, broadcaster)
            expectCompleted(world, broadcaster)
        }
    }

    @Test(arguments: Seeds.short) func deadRecordsCostNothing(seed: UInt64) throws {
        let world = World(seed: seed)
        for index in 1...20 {
            world.discovery.publish(
                PeerContact(
                    key: .instance(UInt64(index)), name: "Gone \(index)", roles: .listener,
                    addresses: [NetworkAddress(host: "gone\(index)"), NetworkAddress(host: "gone-too\(index)")]))
        }
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(11))
        expectPromptStart(world, broadcaster)
        expectWhole(world, world.listeners, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func waitsForAsManyAsAsked(seed: UInt64) throws {
        let world = World(seed: seed)
        for index in 1...2 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.start = .whenReady(listeners: 3) }
        world.run(for: .seconds(20))
        #expect(broadcaster.performance.anchor == nil, "\(world.replay)")
        world.addListener("Listener 3")
        world.run(for: .seconds(12))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func startsAtOnceWhenAskedTo(seed: UInt64) throws {
        let world = World(seed: seed)
        let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.start = .now }
        world.run(for: .seconds(2))
        let start = try #require(broadcaster.performance.seconds(of: 0))
        #expect(start < 0.4, "\(world.replay)")
        let listener = world.addListener("Late")
        world.run(for: .seconds(9))
        #expect(
            listener.hearing(of: broadcaster).isWholeFromEntry, "\(listener.hearing(of: broadcaster)) \(world.replay)")
        expectCompleted(world, broadcaster)
    }

    /// The least that may be asked for.
    @Test(arguments: Seeds.short) func aStartDelayOf50MillisecondsLosesNothing(seed: UInt64) throws {
        let world = World(seed: seed)
        for index in 1...4 { world.addListener("Listener \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.startDelay = .milliseconds(50) }
        let isDecided = world.run(atMost: .seconds(2)) { broadcaster.performance.anchor != nil }
        try #require(isDecided, "\(world.replay)")
        let start = try #require(broadcaster.performance.seconds(of: 0))
        #expect(start - world.loop.now.seconds <= 0.05, "\(start) at \(world.loop.now.seconds); \(world.replay)")
        world.run(for: .seconds(11))
        expectPromptStart(world, broadcaster)
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func byAddressWithoutDiscovery(seed: UInt64) throws {
        let world = World(seed: seed)
        let named = world.addListener("Named", mdns: false)
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song, mdns: false) {
            $0.start = .whenReady(listeners: 2)
        }
        world.run(for: .milliseconds(20))
        broadcaster.name(listener: NetworkAddress(host: named.machine.name))
        world.addListener("Caller", mdns: false) { $0.address = NetworkAddress(host: broadcaster.machine.name) }
        world.run(for: .seconds(12))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>) func ofCrossedDialsOneConnectionSurvives(seed: UInt64) throws {
        let world = World(seed: seed)
        let broadcaster = world.addBroadcaster("Broadcaster", song: song, mdns: false)
        let listener = world.addListener("Listener", mdns: false) {
            $0.address = NetworkAddress(host: broadcaster.machine.name)
        }
        world.run(for: .milliseconds(1))
        broadcaster.name(listener: NetworkAddress(host: listener.machine.name))
        world.run(for: .seconds(2))
        #expect(listener.connectionCount == 1, "\(world.replay)")
        #expect(broadcaster.connectionCount == 1, "\(world.replay)")
        let dials = world.network.dialCount
        world.run(for: .seconds(5))
        #expect(world.network.dialCount == dials, "\(world.replay)")
        world.run(for: .seconds(4))
        expectWhole(world, [listener], broadcaster)
        expectCompleted(world, broadcaster)
    }
}
