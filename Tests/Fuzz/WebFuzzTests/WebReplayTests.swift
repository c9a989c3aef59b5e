import StreamTestKit
import Testing
import WebFuzzTargets

/// What `Scripts/fuzz` kept of what browsers may send, once more; and hurt at random in this build, which has no
/// sanitizer.
@Suite(.timeLimit(.minutes(5)))
struct WebReplayTests {
    @Test(arguments: WebFuzzTarget.allCases)
    func nothingFoundComesBack(target: WebFuzzTarget) {
        for input in target.seeds + KeptInputs.corpus(of: target.name) + KeptInputs.found(for: target.name) {
            let violation = target.violation(of: input)
            #expect(violation == nil, "\(input)")
        }
    }

    /// A failure names its seed.
    @Test(arguments: WebFuzzTarget.allCases)
    func hurtInputsAreHarmless(target: WebFuzzTarget) throws {
        let inputs = target.seeds + KeptInputs.corpus(of: target.name)
        try #require(!inputs.isEmpty)
        for seed: UInt64 in 1...1_000 {
            var generator = SeededGenerator(seed: seed)
            var input = try #require(inputs.randomElement(using: &generator))
            for _ in 0...Int.random(in: 0..<6, using: &generator) {
                input.hurt(with: try #require(inputs.randomElement(using: &generator)), using: &generator)
            }
            let violation = target.violation(of: input)
            #expect(violation == nil, "seed \(seed)")
        }
    }
}
