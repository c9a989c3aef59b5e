import AudioCore
import Broadcasting
import Listening
import SimulationKit
import Testing

/// Links that carry less than the song, processes that read too slowly, and datagrams that come as they like.
@Suite(.timeLimit(.minutes(5))) struct WeakLinkTests {
    let song = VirtualSong(title: "Song", duration: .seconds(85))

    private func playing(_ seed: UInt64) -> (World, BroadcastNode) {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: song, to: 3)
        world.run(for: .seconds(10))
        return (world, broadcaster)
    }

    /// It lost packets and was told how many and why, as its user was; it is in step from 2 s after all was well again,
    /// or after the frame with which it was to go on by then; and nobody else heard of it.
    private func expectReentry(
        _ world: World, _ broadcaster: BroadcastNode, _ slow: ListenNode, mended: TrueTime,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lost = slow.session.currentReport(slow.machine.now)?.counters.lostPackets ?? 0
        #expect(lost > 0, "\(broadcaster.notices); \(world.replay)", sourceLocation: sourceLocation)
        let told = slow.notices.contains {
            if case .packetsDropped(2..., "Broadcaster") = $0.notice { true } else { false }
        }
        #expect(told, "\(slow.notices); \(world.replay)", sourceLocation: sourceLocation)
        world.run(for: .seconds(30))
        let hearing = slow.hearing(of: broadcaster)
        #expect(hearing.first == 0 && !hearing.flaws.isEmpty, "\(hearing)", sourceLocation: sourceLocation)
        let back = try #require(
            broadcaster.performance.window(at: mended.seconds + 2 + BroadcastLimits.longestReentry.seconds),
            sourceLocation: sourceLocation)
        #expect(
            hearing.isClean(back..<hearing.windows.count), "\(hearing); \(world.replay)",
            sourceLocation: sourceLocation)
        expectNoStraySound(world, slow, sourceLocation: sourceLocation)
        expectWhole(world, Array(world.listeners.dropFirst()), broadcaster, sourceLocation: sourceLocation)
        expectInStep(
            world, broadcaster, among: Array(world.listeners.dropFirst()), sourceLocation: sourceLocation)
        expectInStep(world, broadcaster, within: Reconnection.skew, sourceLocation: sourceLocation)
        expectCompleted(world, broadcaster, sourceLocation: sourceLocation)
        expectBounded(world, sourceLocation: sourceLocation)
    }

    @Test(arguments: Seeds.short, [4_000, 16_000] as [Double])
    func aLinkThatCarriesLessThanTheSong(seed: UInt64, bytesPerSecond: Double) throws {
        let (world, broadcaster) = playing(seed)
        let slow = world.listeners[0]
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = bytesPerSecond
        world.network.setQuality(quality, of: slow.machine)
        world.run(for: .seconds(45))
        world.network.setQuality(.quietLAN, of: slow.machine)
        let mended = world.loop.now
        world.run(for: .seconds(2))
        try expectReentry(world, broadcaster, slow, mended: mended)
    }

    @Test(arguments: Seeds.short) func aProcessThatReadsAQuarterOfTheSong(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed)
        let slow = world.listeners[0]
        world.network.setReadingRate(8_000, of: slow.machine)
        world.run(for: .seconds(45))
        world.network.setReadingRate(nil, of: slow.machine)
        let mended = world.loop.now
        world.run(for: .seconds(2))
        try expectReentry(world, broadcaster, slow, mended: mended)
    }

    /// The kernels hold more than the song needs meanwhile.
    @Test(arguments: Seeds.short) func aProcessThatStopsReadingForAWhileIsNotHeard(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed)
        world.network.stopReading(on: world.listeners[0].machine, for: .seconds(5))
        world.run(for: .seconds(80))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster, within: Reconnection.skew)
        expectCompleted(world, broadcaster)
        expectBounded(world)
    }

    @Test(arguments: Seeds.short) func datagramsThatAreLostDoubledAndOvertaken(seed: UInt64) throws {
        let (world, broadcaster) = playing(seed)
        var quality = LinkQuality.quietLAN
        quality.datagramLoss = 0.4
        quality.datagramDuplication = 0.4
        quality.datagramHoldProbability = 0.3
        quality.datagramHold = .milliseconds(200)
        world.network.setQuality(quality, of: world.listeners[0].machine)
        world.run(for: .seconds(30))
        world.network.setQuality(.quietLAN, of: world.listeners[0].machine)
        world.run(for: .seconds(50))
        expectWhole(world, world.listeners, broadcaster)
        expectInStep(world, broadcaster)
        expectCompleted(world, broadcaster)
    }
}
