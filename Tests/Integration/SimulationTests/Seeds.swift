import Glibc
import SimulationKit

/// Which seeds are run: `SIMULATION_SEED=n` one, `SIMULATION_SEEDS=n` as many as that, `TUTTI_LONG_TESTS` a hundred, or
/// a thousand of the sweep.
enum Seeds {
    /// For scenarios of minutes, of which there are to be many.
    static var sweep: [UInt64] { seeds(byDefault: 24, long: 1_000) }
    /// For scenarios of seconds.
    static var short: [UInt64] { seeds(byDefault: 3, long: 100) }
    /// For the scenario of an hour.
    static var hour: [UInt64] { seeds(byDefault: 1, long: 1) }
    /// Whether tests that gain by it run longer.
    static var isLong: Bool { getenv("TUTTI_LONG_TESTS") != nil }

    private static func seeds(byDefault count: UInt64, long: UInt64) -> [UInt64] {
        if let seed = number("SIMULATION_SEED") { return [seed] }
        return Array(1...(number("SIMULATION_SEEDS") ?? (isLong ? long : count)))
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}

extension World {
    /// What to type to see a failure again.
    var replay: String {
        "replay with: SIMULATION_SEED=\(seed) Scripts/test \(Seeds.isLong ? "--long " : "")SimulationTests"
    }
}
