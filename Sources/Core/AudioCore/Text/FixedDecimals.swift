// The standard library formats no numbers, and Foundation is not wanted here. Values may come from other machines:
// infinities and NaN are shown, and do not trap.

extension Double {
    /// Returns the value with a fixed number of decimals: `12.3`.
    package func fixed(_ decimals: Int, signed: Bool = false) -> String {
        guard isFinite else { return "?" }
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64(saturating: self * scale)
        let digits = String(scaled.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = scaled < 0 ? "-" : signed && scaled > 0 ? "+" : ""
        guard decimals > 0 else { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
