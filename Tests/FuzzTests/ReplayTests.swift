import FuzzTargets
import StreamTestKit
import Testing

/// What `Scripts/fuzz` kept, once more; and hurt at random in this build, which has no sanitizer.
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
                hurt(&input, with: inputs.randomElement(using: &generator)!, using: &generator)
            }
            let violation = target.violation(of: input)
            #expect(violation == nil, "seed \(seed)")
        }
    }

    private func hurt(_ input: inout [UInt8], with other: [UInt8], using generator: inout SeededGenerator) {
        guard !input.isEmpty else { return }
        let place = Int.random(in: 0..<input.count, using: &generator)
        let end = min(input.count, place + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: input[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
        case 2: input.removeSubrange(place..<end)
        case 3: input.insert(contentsOf: input[place..<end], at: Int.random(in: 0...input.count, using: &generator))
        case 4: input.removeSubrange(place...)
        case 5 where place + 4 <= input.count:
            input.put(bigEndian: UInt32.random(in: 0 ... .max, using: &generator) >> UInt32(place % 32), at: place)
        default: input.replaceSubrange(place..., with: other.suffix(max(0, other.count - place)))
        }
    }
}
