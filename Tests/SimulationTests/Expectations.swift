import AudioCore
import SimulationKit
import Testing

// What every broadcast on a quiet network owes its listeners. Each failure names the seed.

/// Any two listeners of these within 50 us of each other, wherever both sounded.
func expectInStep(
    _ world: World, _ broadcaster: BroadcastNode, among nodes: [ListenNode]? = nil,
    within limit: TimeSpan = .microseconds(50), sourceLocation: SourceLocation = #_sourceLocation
) {
    let skew = world.skew(of: broadcaster.performance, among: nodes)
    #expect(skew.comparedWindowCount > 0, "\(world.replay)", sourceLocation: sourceLocation)
    #expect(skew.worst <= limit, "\(skew); \(world.replay)", sourceLocation: sourceLocation)
}

/// Heard from the first frame to the last, nothing missing, nothing added.
func expectWhole(
    _ world: World, _ nodes: [ListenNode], _ broadcaster: BroadcastNode,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for node in nodes {
        let hearing = node.hearing(of: broadcaster)
        #expect(hearing.isWhole, "\(node.name): \(hearing); \(world.replay)", sourceLocation: sourceLocation)
        expectNoStraySound(world, node, sourceLocation: sourceLocation)
    }
}

func expectNoStraySound(_ world: World, _ node: ListenNode, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(node.ear.straySampleCount == 0, "\(node.name); \(world.replay)", sourceLocation: sourceLocation)
}

/// Completed, not before the last frame left the loudspeakers, and not long after.
func expectCompleted(
    _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(broadcaster.outcome == .completed, "\(world.replay)", sourceLocation: sourceLocation)
    let end = try #require(broadcaster.performance.seconds(of: Double(broadcaster.performance.song.frameCount)))
    let finished = try #require(broadcaster.finishedAt, "\(world.replay)", sourceLocation: sourceLocation).seconds
    #expect(finished >= end - 1e-4 && finished <= end + 2, "\(world.replay)", sourceLocation: sourceLocation)
}

/// The first frame was due within a second of the beginning of the broadcast.
func expectPromptStart(
    _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let start = try #require(broadcaster.performance.seconds(of: 0), "\(world.replay)", sourceLocation: sourceLocation)
    #expect(start <= broadcaster.began.seconds + 1, "\(world.replay)", sourceLocation: sourceLocation)
}

/// Queues and bytes on their way stay within their limits.
func expectBounded(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) {
    for node in world.listeners {
        #expect(
            node.highestQueuedByteCount <= 12 * 32_000, "\(node.name); \(world.replay)", sourceLocation: sourceLocation)
        #expect(
            node.feederSnapshot.refusedPacketCount == 0, "\(node.name); \(world.replay)", sourceLocation: sourceLocation
        )
    }
    for node in world.broadcasters {
        #expect(
            node.highestByteCountInFlight <= 64 * 1024 + 16 * 1024, "\(node.name); \(world.replay)",
            sourceLocation: sourceLocation)
    }
}
