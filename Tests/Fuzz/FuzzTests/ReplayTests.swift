import FuzzTargets
import StreamTestKit
import Testing

/// What `Scripts/fuzz` kept, once more; and hurt at random in this build, which has no sanitizer.
@Suite(.timeLimit(.minutes(5)))
struct ReplayTests {
    /// Inputs hurt at random, for each target; a failure names its seed.
    private static let mutationCount: UInt64 = 3_000

    @Test(arguments: FuzzTarget.all.map(\.name))
    func nothingFoundComesBack(name: String) throws {
        let target = try #require(FuzzTarget(name: name))
        for input in KeptInputs.corpus(of: name) + KeptInputs.found(for: name) {
            #expect(target.violation(of: input) == nil, "\(input)")
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func hurtInputsAreHarmless(name: String) throws {
        let target = try #require(FuzzTarget(name: name))
        let inputs = KeptInputs.corpus(of: name)
        try #require(!inputs.isEmpty)
        for seed in 1...Self.mutationCount {
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
