/// The DAC clock as a straight line: when a device frame leaves the DAC.
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
    /// What readings hide: seconds, and seconds a second.
    var hidden = 0.0
    var hiddenRate = 0.0

    /// Host seconds from ``originHost`` to the moment at which `frame` leaves the DAC.
    @inline(__always)
    func seconds(of frame: Int64) -> Double {
        let time = Double(frame &- originFrame) / rate
        return time + residual + slope * (time - centre)
    }

    @inline(__always)
    var secondsPerFrame: Double { (1 + slope) / rate }

    /// How far the rate may be from the truth, as a ratio: two standard deviations.
    var rateUncertainty: Double { 2 * slopeVariance.squareRoot() }

    /// The DAC's rate against its nominal one.
    var ppm: Double { (1 / (1 + slope) - 1) * 1e6 }

    func hostNanoseconds(of frame: Int64) -> Int64 {
        let seconds = seconds(of: frame)
        guard abs(seconds) < 9e9 else { return originHost }
        return originHost &+ Int64((seconds * 1e9).rounded())
    }

    /// Four standard deviations of ``seconds(of:)``, what nobody can read off a clock, and what readings hide.
    func bound(at frame: Int64) -> Double {
        let distance = Double(frame &- originFrame) / rate - centre
        return 4 * (offsetVariance + slopeVariance * distance * distance).squareRoot() + 0.4e-6 + hidden
            + hiddenRate * abs(distance)
    }
}
