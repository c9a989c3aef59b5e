import AudioCore
import SimulationKit
import Testing

/// Something that is not as it ought to be, in one line. What looks for them returns them, so that the canaries can see
/// that it does.
struct Finding: CustomStringConvertible {
    enum Kind: Hashable {
        /// Listeners too far from each other, or none to compare.
        case apart
        /// Something of the song is missing, or was added.
        case notWhole
        /// Sound at a time at which nothing is due.
        case stray
        case lateStart
        case wrongEnd
        case unbounded
        /// Not where it ought to be, there twice, or not told of.
        case lost
        /// A stranger, or a machine that was removed, is heard, fed, or knows what it must not.
        case foreign
        /// Machines that ought to agree do not.
        case disagreement
    }

    var kind: Kind
    var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Records each as an issue, with what to type to see it again.
func report(_ findings: [Finding], _ world: World, sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings { Issue.record("\(finding); \(world.replay)", sourceLocation: sourceLocation) }
}

extension World {
    /// Any two listeners of these within `limit` of each other, wherever both had sounded for `settled`.
    func findingsOfSkew(
        _ broadcaster: BroadcastNode, among nodes: [ListenNode]? = nil, within limit: TimeSpan, p99: TimeSpan? = nil,
        settled: TimeSpan = .zero, quiet: TimeSpan? = nil
    ) -> [Finding] {
        let skew = skew(of: broadcaster.performance, among: nodes, settled: settled, quiet: quiet)
        guard skew.comparedWindowCount > 0 else { return [Finding(.apart, "nobody to compare: \(skew)")] }
        let isApart = skew.worst > limit || p99.map { skew.p99 > $0 } ?? false
        return isApart ? [Finding(.apart, "\(skew)")] : []
    }

    /// Heard from the first frame to the last, nothing missing, nothing added.
    func findingsOfWholeness(_ nodes: [ListenNode], _ broadcaster: BroadcastNode) -> [Finding] {
        nodes.flatMap { node in
            let hearing = node.hearing(of: broadcaster)
            let flaws = hearing.isWhole ? [] : [Finding(.notWhole, "\(node.name): \(hearing)")]
            return flaws + findingsOfStraySound(node)
        }
    }

    func findingsOfStraySound(_ node: ListenNode) -> [Finding] {
        guard node.ear.straySampleCount > 0 else { return [] }
        return [Finding(.stray, "\(node.name): \(node.ear.straySampleCount) samples while nothing was due")]
    }

    /// Completed, not before the last frame left the loudspeakers, and not long after.
    func findingsOfEnd(_ broadcaster: BroadcastNode) -> [Finding] {
        let end = broadcaster.performance.seconds(of: Double(broadcaster.performance.song.frameCount))
        guard broadcaster.outcome == .completed, let end, let finished = broadcaster.finishedAt?.seconds else {
            return [Finding(.wrongEnd, "\(broadcaster.name): outcome \(String(describing: broadcaster.outcome))")]
        }
        guard finished >= end - 1e-4, finished <= end + 2 else {
            return [Finding(.wrongEnd, "\(broadcaster.name) finished at \(finished) s, the song at \(end) s")]
        }
        return []
    }

    /// The first frame was due within a second of the beginning of the broadcast.
    func findingsOfStart(_ broadcaster: BroadcastNode) -> [Finding] {
        let start = broadcaster.performance.seconds(of: 0) ?? .infinity
        guard start > broadcaster.began.seconds + 1 else { return [] }
        return [
            Finding(.lateStart, "\(broadcaster.name) began at \(broadcaster.began.seconds) s, its song at \(start) s")
        ]
    }

    /// Queues and bytes on their way stay within their limits.
    func findingsOfMemory() -> [Finding] {
        var findings: [Finding] = []
        let bytesPerSecond = broadcasters.map(\.performance.song.bytesPerSecond).max() ?? 0
        for node in listeners {
            let refused = node.feederSnapshot.refusedPacketCount
            guard node.highestQueuedByteCount > 12 * bytesPerSecond || refused > 0 else { continue }
            let text = "\(node.name): queue of \(node.highestQueuedByteCount) bytes, \(refused) packets refused"
            findings.append(Finding(.unbounded, text))
        }
        for node in broadcasters where node.highestByteCountInFlight > 64 * 1024 + 16 * 1024 {
            findings.append(Finding(.unbounded, "\(node.name): \(node.highestByteCountInFlight) bytes in flight"))
        }
        return findings
    }
}
