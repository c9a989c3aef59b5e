import AudioCore
import Listening
import Peering
import SimulationKit
import Testing

/// Somebody who has a copy of its key goes by the identity of a process that takes part: nobody hears of it, and
/// nothing grows.
@Suite(.timeLimit(.minutes(5))) struct IdentityTests {
    let song = VirtualSong(title: "Song", duration: .seconds(30))

    private func expectUnheard(
        _ world: World, _ broadcaster: BroadcastNode, _ nodes: [ListenNode],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectWhole(world, nodes, broadcaster, sourceLocation: sourceLocation)
        expectCompleted(world, broadcaster, sourceLocation: sourceLocation)
        for node in nodes {
            #expect(
                !node.notices.contains { $0.notice.isLoss }, "\(node.name) \(node.notices); \(world.replay)",
                sourceLocation: sourceLocation)
        }
    }

    /// A whole listener, which calls again and again; its broadcaster is found by address, or by mDNS, which it tells
    /// that it is the other.
    @Test(arguments: Seeds.short, [false, true])
    func aListenerUnderTheIdentityOfAnother(seed: UInt64, mdns: Bool) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(5))
        let victims = world.listeners
        let impostor = world.addListener("Impostor", mdns: mdns) {
            $0.greeting.peer = victims[0].greeting.peer
            $0.greeting.instance = victims[0].greeting.instance
            $0.address = NetworkAddress(host: broadcaster.machine.name)
        }
        for _ in 0..<40 {
            world.run(for: .milliseconds(500))
            #expect(broadcaster.feeds(victims[0]), "\(world.replay)")
            #expect(!broadcaster.feeds(impostor) && broadcaster.connectionCount <= 5, "\(world.replay)")
        }
        #expect(impostor.broadcasters == [], "\(impostor.notices); \(world.replay)")
        world.run(for: .seconds(15))
        expectUnheard(world, broadcaster, victims)
    }

    /// A whole broadcaster, which calls a listener, or all that it finds by mDNS.
    @Test(arguments: Seeds.short, [false, true])
    func aBroadcasterUnderTheIdentityOfAnother(seed: UInt64, mdns: Bool) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(5))
        let other = VirtualSong(title: "Other", duration: .seconds(60), variant: 1)
        let impostor = world.addBroadcaster("Impostor", song: other, mdns: mdns) {
            $0.greeting.peer = broadcaster.greeting.peer
            $0.greeting.instance = broadcaster.greeting.instance
        }
        impostor.name(listener: NetworkAddress(host: world.listeners[0].machine.name))
        for _ in 0..<40 {
            world.run(for: .milliseconds(500))
            let isCalm = impostor.connectionCount <= (mdns ? 3 : 1)
            #expect(broadcaster.feeds(world.listeners[0]) && isCalm, "\(world.replay)")
        }
        world.run(for: .seconds(15))
        expectUnheard(world, broadcaster, world.listeners)
    }

    /// Who was there first under the identity of a process that mDNS knows elsewhere makes room for it.
    @Test(arguments: Seeds.short) func whoTookAnIdentityBeforeMakesRoom(seed: UInt64) {
        let world = World(seed: seed)
        world.addListener("Listener 1")
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(5))
        let victim = world.listeners[0]
        world.network.cut(off: victim.machine, for: .seconds(6))
        world.run(for: .seconds(4))
        let impostor = world.addListener("Impostor", mdns: false) {
            $0.greeting.peer = victim.greeting.peer
            $0.greeting.instance = victim.greeting.instance
            $0.address = NetworkAddress(host: broadcaster.machine.name)
        }
        world.run(for: .seconds(2))
        #expect(broadcaster.feeds(impostor), "\(world.replay)")
        world.run(for: Reconnection.time)
        #expect(broadcaster.feeds(victim) && !broadcaster.feeds(impostor), "\(world.replay)")
        world.run(for: .seconds(25))
        expectWhole(world, [victim], broadcaster)
        expectCompleted(world, broadcaster)
    }

    /// A listener's connection breaks on its side alone, and nothing tells the broadcaster.
    @Test(arguments: Seeds.short) func aListenerIsBackWhileItsFormerConnectionIsHalfOpen(seed: UInt64) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(5))
        let listener = world.listeners[0]
        listener.forgetConnections()
        world.run(for: Reconnection.time)
        #expect(broadcaster.feeds(listener), "\(listener.notices); \(world.replay)")
        #expect(broadcaster.connectionCount == 3, "\(world.replay)")
        world.run(for: .seconds(30))
        expectWhole(world, world.listeners, broadcaster)
        expectCompleted(world, broadcaster)
    }
}
