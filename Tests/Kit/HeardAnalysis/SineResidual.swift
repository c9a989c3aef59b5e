import Glibc

/// What is left in a recording of a sine when the sine is taken away.
///
/// Amplitude, phase and frequency are fitted to a tenth of a second at a time, by least squares, so that a card's rate
/// and its slow corrections leave nothing. What is left of the middle half is judged in windows of 10 ms. A break in
/// the sine spoils the fit, and raises all windows around it.
public struct SineResidual: Sendable {
    public struct Window: Sendable {
        /// In frames of the recording.
        public var start: Int
        /// Root mean square, in dBFS.
        public var level: Double
    }

    public let windows: [Window]

    /// In seconds.
    public static let window = 0.01
    static let fitWindows = 10
    /// Where more is left of a sine of 997 Hz at half of full scale, something clicked, in dBFS. A fifth of a frame
    /// that is missing or twice there leaves about as much; a correction by some hundred ppm, which nobody hears, some
    /// decibels less.
    public static let clickLimit = -50.0

    /// In which more is left than ``clickLimit``.
    public var clicks: [Window] { windows.filter { $0.level > Self.clickLimit } }

    /// - Parameter pitch: nominal, in hertz.
    public init(of samples: [Float], rate: Double, pitch: Double) {
        let width = Int(rate * Self.window)
        let (length, hop) = (width * Self.fitWindows, width * Self.fitWindows / 2)
        var windows: [Window] = []
        for start in stride(from: 0, through: samples.count - length, by: hop) {
            let rest = Self.rest(of: samples[start..<start + length], turn: 2 * .pi * pitch / rate)
            for first in stride(from: hop / 2, to: hop / 2 + hop, by: width) {
                let sum = rest[first..<first + width].reduce(0) { $0 + $1 * $1 }
                windows.append(Window(start: start + first, level: 10 * log10(sum / Double(width) + 1e-20)))
            }
        }
        self.windows = windows
    }

    /// The samples less the sine that fits best.
    /// - Parameter turn: nominal, in radians a frame.
    private static func rest(of samples: ArraySlice<Float>, turn: Double) -> [Double] {
        let middle = Double(samples.count - 1) / 2
        var turn = turn
        var rest = [Double](repeating: 0, count: samples.count)
        for _ in 0..<4 {
            let (c, s) = fit(samples, turn, middle)
            var (slope, norm) = (0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                let n = Double(index) - middle
                let (x, y) = (cos(turn * n), sin(turn * n))
                let change = n * (s * x - c * y)
                rest[index] = Double(sample) - c * x - s * y
                slope += rest[index] * change
                norm += change * change
            }
            guard norm > 0 else { break }
            turn += slope / norm
        }
        return rest
    }

    /// Cosine and sine of one frequency, by the normal equations.
    private static func fit(_ samples: ArraySlice<Float>, _ turn: Double, _ middle: Double) -> (Double, Double) {
        var (cc, cs, ss, yc, ys) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let n = Double(index) - middle
            let (x, y) = (cos(turn * n), sin(turn * n))
            cc += x * x
            cs += x * y
            ss += y * y
            yc += Double(sample) * x
            ys += Double(sample) * y
        }
        let determinant = cc * ss - cs * cs
        return ((yc * ss - ys * cs) / determinant, (ys * cc - yc * cs) / determinant)
    }
}
