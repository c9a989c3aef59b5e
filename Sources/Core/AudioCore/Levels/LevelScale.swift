// A byte per level, in steps of half a decibel:
//
//     byte   0         1           2             ...  254          255
//     dBFS   silence   -127        -126.5        ...  -0.5         0 and above
//
// A level is rounded to the nearest step; what is nearer to -127.5 dBFS, or below, is silence. 0 dBFS is a sample of
// full scale for a peak, and a signal that is at full scale all the time for a root mean square: a sine of full scale
// has an RMS of -3 dBFS. Bytes are found in a table of powers, so that nothing depends on a logarithm's last bit.

/// Levels as bytes: 0 is silence, 1...255 stand for (byte - 255) / 2 dBFS.
public enum LevelScale {
    /// Returns a byte's level in dBFS, from -127 to 0; nil for silence.
    public static func decibels(of byte: UInt8) -> Double? { byte == 0 ? nil : (Double(byte) - 255) / 2 }

    /// Returns the byte for a power, which is the square of an amplitude; full scale is 1. NaN is silence.
    static func byte(ofPower power: Double) -> UInt8 {
        var (low, high) = (0, 256)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lowestPowers[middle] <= power { low = middle } else { high = middle }
        }
        return UInt8(low)
    }

    /// Returns the power in the middle of a byte's step; 0 for silence.
    static func power(of byte: UInt8) -> Double { powers[Int(byte)] }

    /// The ratio of two powers that are half a decibel apart: 10 to the power of 1/20.
    private static let step = 1.122_018_454_301_963_3
    /// Half a step: 10 to the power of 1/40.
    private static let halfStep = 1.059_253_725_177_288_8

    private static let powers: [Double] = {
        var powers = [Double](repeating: 1, count: 256)
        for byte in (1..<255).reversed() { powers[byte] = powers[byte + 1] / step }
        powers[0] = 0
        return powers
    }()

    /// The lowest power that has each byte.
    private static let lowestPowers = powers.map { $0 / halfStep }
}
