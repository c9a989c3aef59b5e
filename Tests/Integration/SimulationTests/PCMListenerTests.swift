import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing

/// Listeners that lack a decoder for the song hear it as those do that have one: whole, and in step with them.
@Suite(.timeLimit(.minutes(5))) struct PCMListenerTests {
    let song = VirtualSong(title: "Song", duration: .seconds(30), isLapped: true)

    @discardableResult
    private func addUnable(_ world: World, _ name: String) -> ListenNode {
        world.addListener(name) { $0.greeting.codecs = [.linearPCM] }
    }

    /// One listener that decodes, and one that is sent PCM; the song has played for so long.
    private func playing(_ seed: UInt64, for span: TimeSpan = .seconds(10)) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        world.addListener("Able")
        addUnable(world, "Unable")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: span)
        return (world, broadcaster)
    }

    private func expectHeardByAll(
        _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectWhole(world, world.listeners, broadcaster, sourceLocation: sourceLocation)
        expectInStep(world, broadcaster, sourceLocation: sourceLocation)
        expectCompleted(world, broadcaster, sourceLocation: sourceLocation)
        expectBounded(world, sourceLocation: sourceLocation)
    }

    @Test(arguments: Seeds.short) func bothHearAllInStep(seed: UInt64) {
        let (world, broadcaster) = playing(seed)
        #expect(broadcaster.session.listeners.map(\.isSentPCM).sorted { !$0 && $1 } == [false, true])
        world.run(for: .seconds(25))
        expectPromptStart(world, broadcaster)
        expectHeardByAll(world, broadcaster)
        #expect(broadcaster.transcodingEndCount <= 1, "\(world.replay)")
        for node in world.listeners { #expect(node.snapshot.underrunCount == 0, "\(node.name); \(world.replay)") }
    }

    @Test(arguments: Seeds.short) func allOfThemMayLackTheDecoder(seed: UInt64) {
        let world = World(seed: seed)
        for index in 1...3 { addUnable(world, "Unable \(index)") }
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(35))
        expectPromptStart(world, broadcaster)
        expectHeardByAll(world, broadcaster)
        // Once, for all of them: pieces of 0.1 s or less.
        #expect(broadcaster.transcodingCount < 700, "\(broadcaster.transcodingCount); \(world.replay)")
    }

    @Test(arguments: Seeds.short) func aLateOneIsInStepFromItsFirstSample(seed: UInt64) throws {
        let world = World(seed: seed)
        world.addListener("Able")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song)
        world.run(for: .seconds(10))
        #expect(broadcaster.transcodingCount == 0, "\(world.replay)")
        let joined = world.loop.now
        let late = [addUnable(world, "Late")]
        world.run(for: .seconds(5))
        let later = addUnable(world, "Later")
        world.run(for: .seconds(20))
        for node in late + [later] {
            let hearing = node.hearing(of: broadcaster)
            #expect(hearing.isWholeFromEntry, "\(node.name): \(hearing); \(world.replay)")
            expectNoStraySound(world, node)
        }
        let first = try #require(late[0].ear.firstSound)
        #expect(first < joined.seconds + 1, "\(first - joined.seconds); \(world.replay)")
        expectWhole(world, [world.listeners[0]], broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }

    /// What was held goes on without a seam in what a new rendition brings.
    @Test(arguments: Seeds.short) func aBrokenConnectionIsNotHeard(seed: UInt64) {
        let (world, broadcaster) = playing(seed)
        // Neither is back before the broadcaster notices that the other is gone: the rendition ends.
        for node in world.listeners {
            node.breakConnections()
            node.machine.freeze(for: .milliseconds(100))
        }
        world.run(for: .seconds(4))
        #expect(broadcaster.transcodingEndCount == 1, "\(world.replay)")
        world.listeners[1].breakConnections()
        world.run(for: .seconds(22))
        expectHeardByAll(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func machinesThatStallAreNotHeard(seed: UInt64) {
        let (world, broadcaster) = playing(seed)
        for turn in 0..<6 {
            world.listeners[turn % 2].machine.freeze(for: .milliseconds(100))
            world.run(for: .milliseconds(700))
            broadcaster.machine.freeze(for: .milliseconds(100))
            world.run(for: .milliseconds(700))
        }
        world.run(for: .seconds(16))
        for node in world.listeners { #expect(node.xrunCount == 0, "\(node.name); \(world.replay)") }
        expectHeardByAll(world, broadcaster)
    }

    @Test(arguments: Seeds.short, [false, true])
    func whenItIsGoneNothingIsDecodedAnyMore(seed: UInt64, sayingGoodbye: Bool) {
        let (world, broadcaster) = playing(seed)
        world.listeners[1].crash(sayingGoodbye: sayingGoodbye)
        world.run(for: .seconds(3))
        let count = broadcaster.transcodingCount
        #expect(broadcaster.transcodingEndCount == 1, "\(world.replay)")
        world.run(for: .seconds(22))
        #expect(broadcaster.transcodingCount == count, "\(world.replay)")
        expectWhole(world, [world.listeners[0]], broadcaster)
        expectCompleted(world, broadcaster)
    }

    @Test(arguments: Seeds.short) func itTakesTheNextSongToo(seed: UInt64) {
        let (world, broadcaster) = playing(seed, for: .seconds(5))
        broadcaster.stop()
        for isLapped in [true, false] {
            let next = world.addBroadcaster(
                "Next", song: VirtualSong(title: "Next", duration: .seconds(5), variant: 1, isLapped: isLapped))
            world.run(for: .seconds(8))
            #expect((next.transcodingCount > 0) == isLapped, "\(world.replay)")
            expectPromptStart(world, next)
            expectWhole(world, world.listeners, next)
            expectInStep(world, next)
            expectCompleted(world, next)
        }
    }

    /// On a link that carries half of the PCM: it loses much, the other nothing, and it is well again afterwards.
    @Test(arguments: Seeds.short) func aSlowOneHarmsNobodyElse(seed: UInt64) {
        let long = VirtualSong(title: "Long", duration: .seconds(70), isLapped: true)
        let world = World(seed: seed)
        world.addListener("Able")
        let slow = addUnable(world, "Slow")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: long)
        world.run(for: .seconds(10))
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = 8_000
        world.network.setQuality(quality, of: slow.machine)
        world.run(for: .seconds(30))
        world.network.setQuality(.quietLAN, of: slow.machine)
        world.run(for: .seconds(10))
        // It is sent more than it plays, until it holds as much as others.
        let held = broadcaster.session.listeners.first { $0.name == "Slow" }?.report?.buffered
        #expect(held.map { $0 > .seconds(8) } == true, "\(held ?? .zero); \(world.replay)")
        world.run(for: .seconds(25))
        expectWhole(world, [world.listeners[0]], broadcaster)
        let hearing = slow.hearing(of: broadcaster)
        #expect(!hearing.flaws.isEmpty && hearing.first == 0, "\(hearing); \(world.replay)")
        #expect(hearing.isClean(2_500..<hearing.windows.count), "\(hearing); \(world.replay)")
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    /// A broadcaster that cannot keep up harms only those whom it decodes for.
    @Test(arguments: Seeds.short) func aDecoderSlowerThanTheSongHarmsNobodyElse(seed: UInt64) {
        let world = World(seed: seed)
        world.addListener("Able")
        let unable = addUnable(world, "Unable")
        world.run(for: .seconds(3))
        let broadcaster = world.addBroadcaster("Broadcaster", song: song) { $0.start = .whenReady(listeners: 2) }
        broadcaster.transcodingTime = .milliseconds(1_500)
        world.run(for: .seconds(40))
        expectWhole(world, [world.listeners[0]], broadcaster)
        let hearing = unable.hearing(of: broadcaster)
        #expect(!hearing.isWhole, "\(hearing); \(world.replay)")
        #expect(broadcaster.notices.contains(.decodingTooSlow), "\(broadcaster.notices)")
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }
}
