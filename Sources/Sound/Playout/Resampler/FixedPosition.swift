/// A song position, or a step between two, as whole frames and a fraction in units of 2^-64 frame.
///
/// Advancing is exact and associative: n steps at once give the same bits as n single steps. So a rewind renders the
/// same samples again, however the blocks are cut.
struct FixedPosition: Hashable, BitwiseCopyable {
    var whole: Int64
    var fraction: UInt64

    init(whole: Int64, fraction: UInt64) {
        self.whole = whole
        self.fraction = fraction
    }

    /// - Parameter frames: finite and within ``range``; the caller checks.
    init(_ frames: Double) {
        let floor = frames.rounded(.down)
        whole = Int64(floor)
        fraction = UInt64((frames - floor) * 0x1p64)
    }

    /// Positions at which a `Double` still resolves frames: more than 700 years of song at 192 kHz.
    static let range: ClosedRange<Double> = -0x1p52...0x1p52

    var frames: Double { Double(whole) + Double(fraction) * 0x1p-64 }

    /// The distance from a whole position, with the fraction's full accuracy if it is small.
    @inline(__always)
    func distance(from origin: Int64) -> Double { Double(whole &- origin) + Double(fraction) * 0x1p-64 }

    @inline(__always)
    func advanced(by step: FixedPosition, times count: Int) -> FixedPosition {
        let product = step.fraction.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count))
        let (sum, carried) = fraction.addingReportingOverflow(product.low)
        let steps = whole &+ step.whole &* Int64(truncatingIfNeeded: count)
        return FixedPosition(
            whole: steps &+ Int64(truncatingIfNeeded: product.high) &+ (carried ? 1 : 0), fraction: sum)
    }
}
