import Glibc

func sine(_ x: Double) -> Double { sin(x) }

/// What is not a tone, in a block of samples.
struct ToneAnalysis {
    private let columns: [[Double]]
    /// The columns' normal matrix, its upper triangle by Cholesky's method.
    private let factor: [[Double]]
    let count: Int

    /// - Parameters:
    ///   - cyclesPerFrame: the tone's frequency, to some 100 ppm: the rest is fitted.
    init(cyclesPerFrame: Double, count: Int) {
        self.count = count
        let times = (0..<count).map { Double($0) - Double(count - 1) / 2 }
        let scale = 2 / Double(count)
        // Amplitude and phase, their linear changes (a tone whose pitch is a little off), and the mean.
        columns = [
            times.map { cos(2 * .pi * cyclesPerFrame * $0) }, times.map { sin(2 * .pi * cyclesPerFrame * $0) },
            times.map { $0 * scale * cos(2 * .pi * cyclesPerFrame * $0) },
            times.map { $0 * scale * sin(2 * .pi * cyclesPerFrame * $0) }, times.map { _ in 1 },
        ]
        var factor = [[Double]](repeating: [Double](repeating: 0, count: 5), count: 5)
        for row in 0..<5 {
            for column in 0...row {
                var sum = zip(columns[row], columns[column]).reduce(0) { $0 + $1.0 * $1.1 }
                for index in 0..<column { sum -= factor[row][index] * factor[column][index] }
                factor[row][column] = row == column ? sum.squareRoot() : sum / factor[column][column]
            }
        }
        self.factor = factor
    }

    /// Total harmonic distortion and noise against the tone, in dB.
    func distortion(of samples: [Double]) -> Double {
        var weights = columns.map { column in zip(column, samples).reduce(0) { $0 + $1.0 * $1.1 } }
        for row in 0..<5 {
            for index in 0..<row { weights[row] -= factor[row][index] * weights[index] }
            weights[row] /= factor[row][row]
        }
        for row in (0..<5).reversed() {
            for index in (row + 1)..<max(5, row + 1) { weights[row] -= factor[index][row] * weights[index] }
            weights[row] /= factor[row][row]
        }
        var rest = 0.0
        for index in 0..<count {
            var error = samples[index]
            for column in 0..<5 { error -= weights[column] * columns[column][index] }
            rest += error * error
        }
        let tone = Double(count) * (weights[0] * weights[0] + weights[1] * weights[1]) / 2
        return 10 * log10(max(rest, 1e-40) / max(tone, 1e-20))
    }
}

/// Predicts each sample of a tone from the two before it: what comes as a surprise is a click.
struct ClickDetector {
    /// 100 dB under full scale. A tone that is 100 ppm off surprises with 109 dB.
    static let limit = 1e-5

    private let factor: Double
    private var previous = (0.0, 0.0)
    private var count = 0
    private(set) var clickCount = 0
    private(set) var greatestSurprise = 0.0

    init(cyclesPerFrame: Double) { factor = 2 * cos(2 * .pi * cyclesPerFrame) }

    mutating func take(_ sample: Double) {
        let surprise = abs(sample - factor * previous.0 + previous.1)
        previous = (sample, previous.0)
        count += 1
        guard count > 2 else { return }
        greatestSurprise = max(greatestSurprise, surprise)
        if surprise > Self.limit { clickCount += 1 }
    }
}
