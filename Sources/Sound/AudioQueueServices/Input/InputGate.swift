import AudioCore
import Playout

/// Decides which captured frames are wanted: those between a start or resume and the next pause or stop.
///
/// Frames arrive later than they were at the microphone, so instants wait here until their frames arrive. Pure.
struct InputGate {
    private struct Edge {
        var host: HostTime
        var opens: Bool
    }

    private var edges: [Edge] = []
    private(set) var isOpen = false
    /// A limit for callers that pause and resume faster than frames arrive.
    private static let edgeLimit = 64

    /// Opens or closes the gate for frames that were at the microphone at `host` or later. Instants come in order; one
    /// before the previous one counts as the previous one.
    mutating func set(_ opens: Bool, at host: HostTime) {
        if edges.count >= Self.edgeLimit { edges.removeLast(2) }
        edges.append(Edge(host: max(host, edges.last?.host ?? host), opens: opens))
    }

    /// Takes frames, the first of which was at the microphone at `instant`.
    /// - Returns: whether the first frames are wanted, and for how many of them this holds.
    mutating func pass(_ instant: DeviceInstant, frameCount: Int) -> (isWanted: Bool, frameCount: Int) {
        while let edge = edges.first, edge.host <= instant.host {
            isOpen = edge.opens
            edges.removeFirst()
        }
        guard let edge = edges.first, instant.secondsPerFrame > 0 else { return (isOpen, frameCount) }
        let distance = ((edge.host - instant.host).seconds / instant.secondsPerFrame).rounded(.up)
        return (isOpen, distance < Double(frameCount) ? max(1, Int(distance)) : frameCount)
    }

    /// Whether no more frames are wanted.
    var isClosedForGood: Bool { !isOpen && edges.isEmpty }
}
