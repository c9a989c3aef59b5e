import Glibc
import HeardAnalysis
import Testing

@Suite(.timeLimit(.minutes(5))) struct SineResidualTests {
    private static let rate = 44_100.0

    /// A second of 997 Hz in 16 bits, of which these frames are missing.
    private func levels(ppm: Double, missing: Range<Int> = 0..<0) -> [SineResidual.Window] {
        let turn = 2 * .pi * 997 / Self.rate * (1 + ppm * 1e-6)
        let frames = (0..<Int(Self.rate)).filter { !missing.contains($0) }
        let samples = frames.map { Float((0.5 * sin(turn * Double($0)) * 32_768).rounded() / 32_768) }
        return SineResidual(of: samples, rate: Self.rate, pitch: 997).windows
    }

    /// What rounding leaves: a step's twelfth root.
    @Test(arguments: [0.0, -80, 50]) func aSineLeavesNothingButItsRounding(ppm: Double) {
        let levels = levels(ppm: ppm)
        #expect(levels.count == 95)
        #expect(levels.allSatisfy { $0.level < -99 }, "\(levels.map(\.level).max() ?? 0)")
    }

    @Test(arguments: [20_000, 20_700, 21_900]) func oneFrameThatIsMissingIsFound(frame: Int) throws {
        let levels = levels(ppm: 30, missing: frame..<frame + 1)
        let worst = try #require(levels.max { $0.level < $1.level })
        #expect(worst.level > -40)
        #expect(abs(worst.start + 220 - frame) < 1_000)
        #expect(levels.filter { abs($0.start - frame) > 4_410 }.allSatisfy { $0.level < -99 })
    }
}
