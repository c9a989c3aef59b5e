import AudioQueueServices
import Playout
import Synchronization

/// Counts what the queue reports.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func note(_ event: TimelineQueueEvent) {
        guard case .playout(let playout) = event else { return }
        let name =
            switch playout {
            case .started: "started"
            case .underrun: "underrun"
            case .replaced(_, let cause, _, _): "replaced-\(cause)"
            case .finished: "finished"
            case .stopped: "stopped"
            case .xrun: "xrun"
            case .retired: "retired"
            }
        counts.withLock { $0[name, default: 0] += 1 }
    }

    var lines: [String] { counts.withLock { counts in counts.keys.sorted().map { "\($0) \(counts[$0] ?? 0)" } } }
}
