import Glibc
import HeardAnalysis
import Testing

/// Faults that are planted into a sine of 997 Hz, as a listener with a fault would make them: its clicks are found, and
/// nothing else is one.
@Suite(.timeLimit(.minutes(5))) struct PlantedClickTests {
    /// What is wrong with the sine from a frame on.
    enum Fault: String, CaseIterable {
        case missingFrame, doubledFrame
        /// The sound goes on half a frame later, or earlier.
        case halfFrameLater, halfFrameEarlier

        /// What it leaves in the worst window at least, in dBFS: 6 dB less where it is half as large.
        var level: Double {
            switch self {
            case .missingFrame, .doubledFrame: -35
            case .halfFrameLater, .halfFrameEarlier: -41
            }
        }

        /// By how many frames of sound what is played is ahead, so many frames behind the fault.
        func lead(after frames: Int) -> Double {
            guard frames >= 0 else { return 0 }
            return switch self {
            case .missingFrame: 1
            case .doubledFrame: -1
            case .halfFrameLater: -0.5
            case .halfFrameEarlier: 0.5
            }
        }
    }

    private static let pitch = 997.0
    private static let rates = [44_100.0, 48_000]

    /// Six tenths of a second at half of full scale, on a card that is 40 ppm fast, in 16 bits.
    private static func residual(_ fault: Fault?, at frame: Int, rate: Double, ppm: Double = 40) -> SineResidual {
        let turn = 2 * .pi * pitch / rate * (1 + ppm * 1e-6)
        let samples = (0..<Int(0.6 * rate)).map { index in
            let place = Double(index) + (fault?.lead(after: index - frame) ?? 0)
            return Float((0.5 * sin(turn * place) * 32_768).rounded() / 32_768)
        }
        return SineResidual(of: samples, rate: rate, pitch: pitch)
    }

    /// At the sine's zeros, at its peaks, anywhere in the tenth of a second to which a sine is fitted.
    @Test(arguments: Fault.allCases, rates) func aFaultIsAClick(fault: Fault, rate: Double) throws {
        for offset in stride(from: 0, to: Int(rate / 20), by: 331) {
            let frame = Int(rate * 0.25) + offset
            let residual = Self.residual(fault, at: frame, rate: rate)
            let clicks = residual.clicks
            try #require(!clicks.isEmpty, "\(fault) at frame \(frame) is not found")
            let worst = clicks.map(\.level).max() ?? -.infinity
            #expect(worst > fault.level, "\(fault) at \(frame) leaves \(worst) dBFS")
            let nearest = clicks.map { abs($0.start - frame) }.min() ?? .max
            #expect(Double(nearest) < 0.02 * rate, "\(fault) at \(frame) is found \(nearest) frames off")
            let farthest = clicks.map { abs($0.start - frame) }.max() ?? 0
            #expect(Double(farthest) < 0.1 * rate, "\(fault) at \(frame) is found \(farthest) frames off, too")
        }
    }

    /// Forty decibels below the limit: 16 bits leave no more, whatever the card's rate.
    @Test(arguments: [0.0, 40, -100], rates) func aCleanSineIsFarBelowTheLimit(ppm: Double, rate: Double) throws {
        let residual = Self.residual(nil, at: 0, rate: rate, ppm: ppm)
        #expect(residual.clicks.isEmpty)
        let worst = try #require(residual.windows.map(\.level).max())
        #expect(worst < SineResidual.clickLimit - 40, "\(worst) dBFS")
    }
}
