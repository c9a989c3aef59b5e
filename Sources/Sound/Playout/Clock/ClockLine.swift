/// A device's clock as a straight line: the host time at which a frame leaves the DAC, or reaches the ADC.
struct ClockLine: BitwiseCopyable {
    let originFrame: Int64
    let originHost: Int64
    /// Nominal frames per second.
    let rate: Double
    let centre: Double
    let residual: Double
    let slope: Double
    let offsetVariance: Double
    let slopeVariance: Double
    /// The part of the bound that the fit cannot see (``ReadingUncertainty``): seconds, and seconds per second.
    var systematicBound = 0.0
    var systematicBoundRate = 0.0

    /// Host seconds from ``originHost`` to the moment at which `frame` leaves the DAC or reaches the ADC.
    @inline(__always)
    func seconds(of frame: Int64) -> Double {
        let time = Double(frame &- originFrame) / rate
        return time + residual + slope * (time - centre)
    }

    @inline(__always)
    var secondsPerFrame: Double { (1 + slope) / rate }

    /// How far the rate may be off, as a ratio: two standard deviations.
    var rateUncertainty: Double { 2 * slopeVariance.squareRoot() }

    /// The device's rate relative to its nominal rate.
    var ppm: Double { (1 / (1 + slope) - 1) * 1e6 }

    func hostNanoseconds(of frame: Int64) -> Int64 {
        let seconds = seconds(of: frame)
        guard abs(seconds) < 9e9 else { return originHost }
        return originHost &+ Int64((seconds * 1e9).rounded())
    }

    /// Four standard deviations of ``seconds(of:)``, plus the resolution of a clock reading, plus ``systematicBound``.
    func bound(at frame: Int64) -> Double {
        let distance = Double(frame &- originFrame) / rate - centre
        return 4 * (offsetVariance + slopeVariance * distance * distance).squareRoot() + 0.4e-6 + systematicBound
            + systematicBoundRate * abs(distance)
    }
}
