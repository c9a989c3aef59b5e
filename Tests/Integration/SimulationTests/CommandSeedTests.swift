import AudioCore
import SimulationKit
import Testing
import WireProtocol

/// Five controllers who command one broadcast of several songs as they like, and what twenty listeners make of it.
@Suite(.timeLimit(.minutes(Seeds.isLong ? 90 : 5))) struct CommandSeedTests {
    private static let seconds = 40.0
    /// What is heard must be so near to its place.
    private static let limit = TimeSpan.milliseconds(1)
    /// Around a cut nothing is judged for so long: a command needs to arrive, and a sound to fade.
    private static let grace = 0.4

    @Test(arguments: Seeds.sweep) func allSoundTheSameFrameOrNothing(seed: UInt64) {
        let scenario = CommandScenario(seed: seed)
        scenario.run(seconds: Self.seconds)
        let replay = Comment(rawValue: scenario.world.replay)
        scenario.expectCommandsDoneOnce(replay)
        scenario.expectFollowersAgree(replay)
        let tally = scenario.listen(grace: Self.grace, limit: Self.limit)
        for finding in tally.findings { Issue.record("\(finding); \(scenario.world.replay)") }
        #expect(tally.gapCount <= tally.dueCount / 1_000, replay)
        // Silence is always allowed, and would prove nothing.
        #expect(tally.songCount > tally.dueCount / 2, replay)
        print("seed \(seed): \(scenario.summary), \(tally.songCount) of \(tally.dueCount) windows in step")
    }
}
