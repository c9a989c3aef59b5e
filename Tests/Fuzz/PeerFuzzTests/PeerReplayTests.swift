import PeerFuzzTargets
import StreamTestKit
import Testing

/// What `Scripts/fuzz` kept of what peers may send, once more; and hurt at random in this build, which has no
/// sanitizer.
@Suite(.timeLimit(.minutes(5)))
struct PeerReplayTests {
    /// Inputs hurt at random, for each target; a failure names its seed. Whole sessions take their time.
    private static func mutationCount(_ target: PeerFuzzTarget) -> UInt64 { target == .greeting ? 150 : 1_000 }

    @Test(arguments: PeerFuzzTarget.allCases)
    func nothingFoundComesBack(target: PeerFuzzTarget) {
        for input in target.seeds + KeptInputs.corpus(of: target.name) + KeptInputs.found(for: target.name) {
            let violation = target.violation(of: input)
            #expect(violation == nil, "\(input)")
        }
    }

    @Test(arguments: PeerFuzzTarget.allCases)
    func hurtInputsAreHarmless(target: PeerFuzzTarget) throws {
        let inputs = target.seeds + KeptInputs.corpus(of: target.name)
        try #require(!inputs.isEmpty)
        for seed in 1...Self.mutationCount(target) {
            var generator = SeededGenerator(seed: seed)
            var input = inputs.randomElement(using: &generator)!
            for _ in 0...Int.random(in: 0..<6, using: &generator) {
                input.hurt(with: inputs.randomElement(using: &generator)!, using: &generator)
            }
            let violation = target.violation(of: input)
            #expect(violation == nil, "seed \(seed)")
        }
    }
}
