import Glibc

/// How much later a signal holds the same sound as another, to a small fraction of a sample.
///
/// The peak of a windowed cross-correlation is biased wherever loudness changes within the window. So the correlation
/// only finds the nearest sample, and from there the delay is the one that makes the *difference* smallest: where one
/// signal is a delayed copy of the other, the difference vanishes at the true delay and nowhere else, whatever the
/// window. The minimum is found by Gauss-Newton steps in delay and gain together. In what follows time is counted in
/// steps of the window's grid.
struct DelayEstimator {
    /// Reads the delayed signal: its value at each of `count` grid steps, the first at `start`.
    typealias Reader = (_ start: Double, _ count: Int) -> [Float]

    struct Estimate {
        /// In grid steps; positive where the second signal is later.
        var delay: Double
        /// Of the second signal against the first.
        var gain: Double
        /// The place in the window, in grid steps, at which the delay is this one, should it change within the window:
        /// the center of what decided.
        var center: Double
        /// 1 where the second signal is a delayed copy of the first, 0 where they have nothing in common.
        var similarity: Double
    }

    /// The least similarity that counts as the same sound.
    static let accepted = 0.9

    private let window: [Float]
    private let first: [Float]
    private let second: Reader

    /// - Parameters:
    ///   - first: the window of the first signal.
    ///   - second: reads the second signal on the same grid, with 0 the time of the window's first sample.
    init(first: [Float], second: @escaping Reader) {
        let scale = 2 * Float.pi / Float(first.count)
        window = (0..<first.count).map { 0.5 - 0.5 * cosf((Float($0) + 0.5) * scale) }
        self.first = first
        self.second = second
    }

    /// Refines `guess`, which should be right to half a sample or so.
    func refine(from guess: Double) -> Estimate {
        var estimate = Estimate(delay: guess, gain: 1, center: 0, similarity: 0)
        for _ in 0..<12 {
            let sums = self.sums(at: estimate.delay)
            estimate.similarity = sums.similarity
            estimate.gain = sums.gain
            estimate.center = sums.center
            guard let step = sums.step else { break }
            estimate.delay += max(-1, min(1, step))
            if abs(step) < 1e-5 { break }
        }
        return estimate
    }

    /// Looks at every delay in ±`range` grid steps around `center`, and refines the most alike.
    func search(around center: Double, range: Int) -> Estimate {
        let long = second(center - Double(range), first.count + 2 * range)
        let correlation = correlate(zip(first, window).map { $0 * $1 }, along: long)
        guard let peak = correlation.indices.max(by: { correlation[$0] < correlation[$1] }) else {
            return Estimate(delay: center, gain: 0, center: 0, similarity: 0)
        }
        return refine(from: center - Double(range) + Double(peak))
    }

    private struct Sums {
        var (aa, ab, bb, ad, bd, dd, ddn) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

        /// Gauss-Newton: the best gain and the best gain times delay step, from the normal equations.
        var step: Double? {
            let determinant = bb * dd - bd * bd
            let gain = ab * dd - ad * bd
            guard determinant > 0, gain > 0 else { return nil }
            return (ad * bb - ab * bd) / gain
        }
        var gain: Double { aa > 0 ? ab / aa : 0 }
        var center: Double { dd > 0 ? ddn / dd : 0 }
        var similarity: Double { aa > 0 && bb > 0 ? ab / (aa * bb).squareRoot() : 0 }
    }

    private func sums(at delay: Double) -> Sums {
        let count = first.count
        let b = second(delay - 2, count + 4)
        var sums = Sums()
        first.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                window.withUnsafeBufferPointer { window in
                    var n = 0
                    while n < count {
                        let slope = ((b[n &+ 3] - b[n &+ 1]) * 8 - (b[n &+ 4] - b[n])) / 12
                        let (x, y, d) = (Double(a[n]), Double(b[n &+ 2]), Double(slope))
                        let w = Double(window[n])
                        sums.aa += w * x * x
                        sums.ab += w * x * y
                        sums.bb += w * y * y
                        sums.ad += w * x * d
                        sums.bd += w * y * d
                        sums.dd += w * d * d
                        sums.ddn += w * d * d * Double(n)
                        n &+= 1
                    }
                }
            }
        }
        return sums
    }
}
