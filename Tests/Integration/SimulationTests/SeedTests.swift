import SimulationKit
import Testing

/// Households where things happen: one for each seed.
@Suite(.timeLimit(.minutes(5))) struct SeedTests {
    private static let tally = PublishedBoundsTally(runs: Seeds.sweep.count)

    @Test(arguments: Seeds.sweep) func fiveMinutes(seed: UInt64) {
        let household = Household(seed: seed, seconds: 300, disturbanceInterval: 12)
        household.run()
        #expect(household.world.areListenersIdle, "\(household.world.replay)")
        household.runAnotherBroadcast()
        report(household.findings(), household.world)
        Self.tally.add(household.boundsVerdict)
        print(household.summary)
    }
}
