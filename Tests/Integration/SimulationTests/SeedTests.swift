import SimulationKit
import Testing

/// A song of five minutes that is disturbed now and then: one for each seed.
@Suite(.timeLimit(.minutes(5))) struct SeedTests {
    private static let tally = PublishedBoundsTally(runs: Seeds.sweep.count)

    @Test(arguments: Seeds.sweep) func fiveMinutes(seed: UInt64) {
        let scenario = DisturbanceScenario(seed: seed, seconds: 300, disturbanceInterval: 12)
        scenario.run()
        #expect(scenario.world.areListenersIdle, "\(scenario.world.replay)")
        scenario.runAnotherBroadcast()
        report(scenario.findings(), scenario.world)
        Self.tally.add(scenario.boundsVerdict)
        print(scenario.summary)
    }
}
