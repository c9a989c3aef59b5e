/// How far apart two decoders are, of full scale.
struct Accuracy: CustomStringConvertible {
    var largest: Float
    var mean: Double

    init(_ a: some Sequence<Float>, _ b: some Sequence<Float>) {
        var (largest, power, count) = (Float(0), 0.0, 0)
        for (x, y) in zip(a, b) {
            let distance = abs(x - y)
            // No number is no distance.
            largest = distance <= largest ? largest : distance.isNaN ? .infinity : distance
            power += Double(distance) * Double(distance)
            count += 1
        }
        self.largest = largest
        mean = (power / Double(max(1, count))).squareRoot()
    }

    /// What a full accuracy decoder may differ from the reference decoder (ISO 11172-4 section 2.6.3, and 14496-4
    /// section
    /// 6.6.1.2 for AAC): 2^-14 in any sample, 2^-15 / sqrt(12) in the mean.
    static let largestLimit: Float = 0x1p-14
    static let meanLimit = 0x1p-15 / 12.0.squareRoot()

    var isFull: Bool { largest <= Self.largestLimit && mean <= Self.meanLimit }
    var description: String { "up to \(largest * 32_768) steps of 16 bits, \(mean * 32_768) RMS" }
}
