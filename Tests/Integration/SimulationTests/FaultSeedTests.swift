import SimulationKit
import Testing

/// A song during which several faults coincide: one for each seed.
@Suite(.timeLimit(.minutes(5))) struct FaultSeedTests {
    private static let seconds: Int64 = Seeds.isLong ? 180 : 75

    @Test(arguments: Seeds.sweep) func faultsThatEnd(seed: UInt64) {
        let scenario = FaultScenario(seed: seed, seconds: Self.seconds)
        scenario.run()
        let schedule = scenario.schedule.map(\.description).joined(separator: "; ")
        if !scenario.findings.isEmpty { print("seed \(seed): \(schedule)") }
        report(scenario.findings, scenario.world)
        print(scenario.summary)
    }

    @Test func oneSeedReplaysItsFaultsExactly() {
        func run() -> UInt64 {
            let scenario = FaultScenario(seed: 11, seconds: 60)
            scenario.run()
            return scenario.world.loop.eventCount
        }
        #expect(run() == run())
    }
}
