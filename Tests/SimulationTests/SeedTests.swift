import SimulationKit
import Testing

/// Households where things happen: one for each seed.
@Suite struct SeedTests {
    private static let minutes = PublishedBoundsTally(runs: Seeds.sweep.count)
    private static let longSongs = PublishedBoundsTally(runs: Seeds.long.count)

    @Test(arguments: Seeds.sweep) func aMinuteAndAQuarter(seed: UInt64) {
        sweep(Household(seed: seed, seconds: 75, disturbanceInterval: 6), Self.minutes)
    }

    @Test(arguments: Seeds.long) func fiveMinutes(seed: UInt64) {
        sweep(Household(seed: seed, seconds: 300, disturbanceInterval: 20), Self.longSongs)
    }

    private func sweep(_ household: Household, _ tally: PublishedBoundsTally) {
        household.run()
        #expect(household.world.areListenersIdle, "\(household.world.replay)")
        household.runAnotherBroadcast()
        report(household.findings(), household.world)
        tally.add(household.boundsVerdict)
        print(household.summary)
    }
}
