import SimulationKit
import Testing

/// Five controllers who command one broadcast of several songs as they like, and what twenty listeners make of it.
@Suite(.timeLimit(.minutes(Seeds.isLong ? 120 : 15))) struct CommandSeedTests {
    private static let seconds = 30.0

    @Test(arguments: Seeds.sweep) func allSoundTheSameFrameOrNothing(seed: UInt64) {
        let scenario = CommandScenario(seed: seed)
        scenario.run(seconds: Self.seconds)
        let tally = HeardProgramme(scenario).tally
        report(scenario.findingsOfDialogue + tally.findings, scenario.world)
        // Silence, and excuses, would prove nothing.
        let isTelling = tally.dueCount > 5_000 && tally.dueCount > tally.excusedCount
        #expect(isTelling, "\(tally.summary); \(scenario.world.replay)")
        print("seed \(seed): \(scenario.summary); \(tally.summary)")
    }
}
