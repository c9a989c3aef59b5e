import AudioCore
import SimulationKit
import Synchronization
import Testing

/// What listeners say of themselves, once a second: how far off they are, and how sure they can be. Held against what
/// was heard of them then.
struct PublishedBounds {
    /// One report of one listener.
    private struct Claim {
        var node: ListenNode
        var window: Int
        /// Positive: late.
        var error: TimeSpan
        var bound: TimeSpan
    }

    /// Reports against the truth.
    struct Verdict {
        /// Magnitudes of the true errors, and the bounds that were published, in seconds.
        var errors: [Double] = []
        var bounds: [Double] = []
        /// Reports whose bound did not hold the truth.
        var outside: [String] = []

        mutating func append(_ other: Verdict) {
            errors += other.errors
            bounds += other.bounds
            outside += other.outside
        }
    }

    private var claims: [Claim] = []

    /// Takes down what everyone says now.
    mutating func note(_ world: World, _ performance: Performance) {
        guard let window = performance.window(at: world.loop.now.seconds) else { return }
        for node in world.listeners where node.machine.isAlive && node.outcome == nil {
            guard let report = node.session.currentReport(node.machine.now), report.state == .playing,
                let timing = report.timing
            else { continue }
            claims.append(Claim(node: node, window: window, error: timing.error, bound: timing.errorBound))
        }
    }

    /// Compares with what was heard, wherever that was the song. To be called when its end was heard.
    func verdict(_ world: World, _ performance: Performance) -> Verdict {
        var verdict = Verdict()
        for node in world.listeners {
            let windows = node.ear.windows(of: performance)
            for claim in claims where claim.node === node && windows.indices.contains(claim.window) {
                guard let heard = windows[claim.window], heard.content == .song else { continue }
                verdict.errors.append(heard.lateness.magnitude.seconds)
                verdict.bounds.append(claim.bound.seconds)
                guard (heard.lateness - claim.error).magnitude > claim.bound else { continue }
                verdict.outside.append(
                    "seed \(world.seed), \(node.name), window \(claim.window): \(heard.lateness.microseconds) us, "
                        + "said \(claim.error.microseconds) +- \(claim.bound.microseconds)")
            }
        }
        return verdict
    }
}

/// The verdicts of many seeds that are tried at the same time; judged together when the last one is there, since 1 in
/// 1,000 says nothing of one of them.
final class PublishedBoundsTally: Sendable {
    private let runs: Int
    private let state = Mutex((count: 0, verdict: PublishedBounds.Verdict()))
    /// Fewer seconds than this say nothing of 1 in 1,000.
    private static let tellingCount = 5_000

    /// - Parameter runs: how many verdicts make the whole.
    init(runs: Int) { self.runs = runs }

    func add(_ verdict: PublishedBounds.Verdict, sourceLocation: SourceLocation = #_sourceLocation) {
        let whole = state.withLock { state in
            state.count += 1
            state.verdict.append(verdict)
            return state.count == runs ? state.verdict : nil
        }
        if let whole { judge(whole, sourceLocation) }
    }

    private func judge(_ verdict: PublishedBounds.Verdict, _ sourceLocation: SourceLocation) {
        let errors = verdict.errors.sorted()
        let bounds = verdict.bounds.sorted()
        guard !errors.isEmpty else { return }
        let high = errors[(errors.count * 99 - 1) / 100]
        let median = bounds[bounds.count / 2]
        print(
            "published bounds of \(errors.count) seconds: \(verdict.outside.count) missed the truth; median "
                + "\(median * 1e6) us; error p50 \(errors[errors.count / 2] * 1e6), p99 \(high * 1e6) us")
        guard errors.count >= Self.tellingCount else { return }
        #expect(
            verdict.outside.count * 1_000 <= errors.count, "\(verdict.outside.joined(separator: "; "))",
            sourceLocation: sourceLocation)
        #expect(
            median <= 3 * high, "bound \(median * 1e6) us, error \(high * 1e6) us", sourceLocation: sourceLocation)
    }
}
