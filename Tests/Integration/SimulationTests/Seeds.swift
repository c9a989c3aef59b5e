import Glibc
import SimulationKit

/// Which seeds are run: `SIMULATION_SEED=n` one, `SIMULATION_SEEDS=n` as many as that, `SIMULATION_SEEDS=m-n` those
/// from m to n, `TUTTI_LONG_TESTS` a hundred, or a thousand of the sweep.
enum Seeds {
    /// For scenarios of minutes, of which there are to be many.
    static var sweep: [UInt64] { seeds(byDefault: 24, long: 1_000) }
    /// For scenarios of minutes with signatures, which take their time.
    static var signed: [UInt64] { seeds(byDefault: 6, long: 1_000) }
    /// For faults that a scenario of minutes must find.
    static var planted: [UInt64] { seeds(byDefault: 1, long: 10) }
    /// For scenarios of seconds.
    static var short: [UInt64] { seeds(byDefault: 3, long: 100) }
    /// For the scenario of an hour.
    static var hour: [UInt64] { seeds(byDefault: 1, long: 1) }
    /// Whether tests that gain by it run longer.
    static var isLong: Bool { getenv("TUTTI_LONG_TESTS") != nil }

    private static func seeds(byDefault count: UInt64, long: UInt64) -> [UInt64] {
        if let seed = number("SIMULATION_SEED") { return [seed] }
        return Array(range ?? 1...(isLong ? long : count))
    }

    private static var range: ClosedRange<UInt64>? {
        guard let text = text("SIMULATION_SEEDS") else { return nil }
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let last = bounds.last else { return nil }
        return min(bounds.count > 1 ? bounds[0] : 1, last)...last
    }

    private static func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    private static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

extension World {
    /// What to type to see a failure again.
    var replay: String {
        "replay with: SIMULATION_SEED=\(seed) Scripts/test \(Seeds.isLong ? "--long " : "")SimulationTests"
    }
}
