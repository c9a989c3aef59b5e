import Glibc
import SimulationKit

/// Which seeds are run: `SIMULATION_SEED=n` one, `SIMULATION_SEEDS=n` as many as that, `TUTTI_LONG_TESTS` a hundred.
enum Seeds {
    /// For scenarios of minutes.
    static var long: [UInt64] { seeds(byDefault: 10) }
    /// For scenarios of seconds.
    static var short: [UInt64] { seeds(byDefault: 3) }

    private static func seeds(byDefault count: UInt64) -> [UInt64] {
        if let seed = number("SIMULATION_SEED") { return [seed] }
        return Array(1...(number("SIMULATION_SEEDS") ?? (getenv("TUTTI_LONG_TESTS") == nil ? count : 100)))
    }

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
}

extension World {
    /// What to type to see a failure again.
    var replay: String { "replay with: SIMULATION_SEED=\(seed) Scripts/test SimulationTests" }
}
