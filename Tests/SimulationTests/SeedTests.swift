import SimulationKit
import Testing

/// Households where things happen: one for each seed.
@Suite struct SeedTests {
    @Test(arguments: Seeds.sweep) func aMinuteAndAQuarter(seed: UInt64) {
        sweep(Household(seed: seed, seconds: 75, disturbanceInterval: 6))
    }

    @Test(arguments: Seeds.long) func fiveMinutes(seed: UInt64) {
        sweep(Household(seed: seed, seconds: 300, disturbanceInterval: 20))
    }

    private func sweep(_ household: Household) {
        household.run()
        #expect(household.world.areListenersIdle, "\(household.world.replay)")
        household.runAnotherBroadcast()
        report(household.findings(), household.world)
        print(household.summary)
    }
}
