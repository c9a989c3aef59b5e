import AudioCore
import SimulationKit
import Testing

// What every broadcast on a quiet network owes its listeners. Each failure names the seed.

/// Any two listeners of these within 50 us of each other, wherever both sounded; 60 where seeds are many: of 800 runs
/// with a listener started anew the worst pair was 54 us apart.
func expectInStep(
    _ world: World, _ broadcaster: BroadcastNode, among nodes: [ListenNode]? = nil,
    within limit: TimeSpan = .microseconds(Seeds.isLong ? 60 : 50), sourceLocation: SourceLocation = #_sourceLocation
) {
    report(
        world.findingsOfSkew(broadcaster, among: nodes, within: limit), world, sourceLocation: sourceLocation)
}

/// Heard from the first frame to the last, nothing missing, nothing added.
func expectWhole(
    _ world: World, _ nodes: [ListenNode], _ broadcaster: BroadcastNode,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    report(world.findingsOfWholeness(nodes, broadcaster), world, sourceLocation: sourceLocation)
}

func expectNoStraySound(_ world: World, _ node: ListenNode, sourceLocation: SourceLocation = #_sourceLocation) {
    report(world.findingsOfStraySound(node), world, sourceLocation: sourceLocation)
}

/// Completed, not before the last frame left the loudspeakers, and not long after.
func expectCompleted(
    _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
) {
    report(world.findingsOfEnd(broadcaster), world, sourceLocation: sourceLocation)
}

/// The first frame was due within a second of the beginning of the broadcast.
func expectPromptStart(
    _ world: World, _ broadcaster: BroadcastNode, sourceLocation: SourceLocation = #_sourceLocation
) {
    report(world.findingsOfStart(broadcaster), world, sourceLocation: sourceLocation)
}

/// Queues and bytes on their way stay within their limits.
func expectBounded(_ world: World, sourceLocation: SourceLocation = #_sourceLocation) {
    report(world.findingsOfMemory(), world, sourceLocation: sourceLocation)
}
