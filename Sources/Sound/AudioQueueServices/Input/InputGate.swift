import AudioCore
import Playout

/// Which captured frames are wanted: between the instants at which the queue was started or resumed and those at which it was
/// paused or stopped.
///
/// Frames come later than they were in the air, so instants wait here until their frames come. Pure.
struct InputGate {
    private struct Edge {
        var host: HostTime
        var opens: Bool
    }

    private var edges: [Edge] = []
    private(set) var isOpen = false
    /// Whoever pauses and resumes faster than frames come.
    private static let edgeLimit = 64

    /// Frames that were in the air at `host` or later are wanted, or not. Instants come in order; one that lies before the
    /// one before counts as that.
    mutating func set(_ opens: Bool, at host: HostTime) {
        if edges.count >= Self.edgeLimit { edges.removeLast(2) }
        edges.append(Edge(host: max(host, edges.last?.host ?? host), opens: opens))
    }

    /// Passes frames by, the first of which was in the air at `instant`.
    /// - Returns: how many of them share a fate, and whether they are wanted.
    mutating func pass(_ instant: DeviceInstant, frameCount: Int) -> (isWanted: Bool, frameCount: Int) {
        while let edge = edges.first, edge.host <= instant.host {
            isOpen = edge.opens
            edges.removeFirst()
        }
        guard let edge = edges.first, instant.secondsPerFrame > 0 else { return (isOpen, frameCount) }
        let distance = ((edge.host - instant.host).seconds / instant.secondsPerFrame).rounded(.up)
        return (isOpen, distance < Double(frameCount) ? max(1, Int(distance)) : frameCount)
    }

    /// Whether nothing is wanted any more.
    var isClosedForGood: Bool { !isOpen && edges.isEmpty }
}
