import CResampling
import Glibc

// The interpolation filter: a Kaiser-windowed sinc, tabulated at `phaseCount` fractions of a song frame and
// interpolated linearly between neighbouring phases.
//
// Device at (nearly) the song's rate, or faster: the sinc's zeros lie on whole frames, so at phase zero the filter is a
// single 1 and changes nothing. A stream resampled by a few ppm therefore has the same tone as a plain copy. 64 taps
// with beta 11.4 give a stopband of -115 dB; at 44.1 kHz the passband ends at 19.5 kHz.
//
// Device slower: everything above the device's Nyquist frequency must be removed. The filter is stretched by the ratio
// and has 96 taps per device frame. Its cutoff is at 0.955 of the device's Nyquist frequency: flat to 0.88 of it (19.3
// kHz at 44.1 kHz), -115 dB from 1.03 of it on.
//
// Linear interpolation between phases puts images of a tone f at (f / (phaseCount * songRate))^2: with 512 phases -123
// dB at 20 kHz, -170 dB at 1 kHz. A stretched filter is smoother, and needs fewer phases by the same ratio.
//
// Every phase is scaled to a sum of 1: constant input gives constant output, down to the last bits.

/// The filter coefficients for one pair of rates; built off the real-time thread, read-only afterwards.
struct FilterTable: ~Copyable {
    /// A multiple of 16.
    let tapCount: Int
    /// The table has 2^phaseBits phases, plus one row for interpolation.
    let phaseBits: Int
    let rows: UnsafeMutablePointer<Float>

    init(songRate: Double, deviceRate: Double) {
        let stretch = max(1, songRate / deviceRate)
        let isDownsampling = stretch > 1.001
        let taps = isDownsampling ? 96 * stretch : 64
        let tapCount = (Int(taps.rounded(.up)) + 15) / 16 * 16
        var phaseBits = 9
        var rest = stretch
        while rest >= 2, phaseBits > 5 {
            rest /= 2
            phaseBits -= 1
        }
        self.tapCount = tapCount
        self.phaseBits = phaseBits
        let capacity = (1 << phaseBits + 1) * tapCount
        rows = UnsafeMutableRawPointer.allocate(
            byteCount: capacity * MemoryLayout<Float>.stride, alignment: Self.alignment
        ).bindMemory(to: Float.self, capacity: capacity)
        let cutoff = isDownsampling ? 0.955 / stretch : 1
        for row in 0...(1 << phaseBits) {
            FilterTable.fill(
                rows + row * tapCount, count: tapCount, phase: Double(row) / Double(1 << phaseBits), cutoff: cutoff)
        }
    }

    deinit { UnsafeMutableRawPointer(rows).deallocate() }

    /// For the inner loops; valid as long as the table lives.
    var view: tutti_filter_table {
        tutti_filter_table(rows: rows, tap_count: tapCount, phase_bits: Int32(phaseBits))
    }

    private static let beta = 11.4
    /// Of the rows, in bytes: a cache line, as vectors across two of them take twice as long to read.
    private static let alignment = 64

    /// One phase: the weights of frames `-count/2 + 1 ... count/2` for a point `phase` after frame 0.
    private static func fill(_ row: UnsafeMutablePointer<Float>, count: Int, phase: Double, cutoff: Double) {
        let half = Double(count / 2)
        func weight(_ tap: Int) -> Double {
            let distance = Double(tap - count / 2 + 1) - phase
            let edge = distance / half
            return edge * edge >= 1 ? 0 : sinc(distance * cutoff) * besselI0(beta * (1 - edge * edge).squareRoot())
        }
        var sum = 0.0
        for tap in 0..<count { sum += weight(tap) }
        for tap in 0..<count { row[tap] = Float(weight(tap) / sum) }
    }

    private static func sinc(_ x: Double) -> Double {
        if x == 0 { return 1 }
        if x == x.rounded() { return 0 }
        return sin(.pi * x) / (.pi * x)
    }

    /// Modified Bessel function of order 0, by its power series (Abramowitz and Stegun 9.6.12).
    private static func besselI0(_ x: Double) -> Double {
        let square = x * x / 4
        var term = 1.0
        var sum = 1.0
        var k = 1.0
        while term > sum * 1e-17 {
            term *= square / (k * k)
            sum += term
            k += 1
        }
        return sum
    }
}
