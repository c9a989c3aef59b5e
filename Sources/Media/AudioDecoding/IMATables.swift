// IMA Digital Audio Focus and Technical Working Groups, "Recommended Practices for Enhancing Digital Audio
// Compatibility in Multimedia Systems", 1992: four bits are a step up or down from the last sample, with adaptive size.

/// The tables of IMA ADPCM, four bits per sample.
struct IMATables {
    static let stepCount = 89

    private static let steps: [Int32] = [
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
        107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
        876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272, 2_499, 2_749, 3_024, 3_327, 3_660,
        4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132, 7_845, 8_630, 9_493, 10_442, 11_487, 12_635, 13_899, 15_289,
        16_818, 18_500, 20_350, 22_385, 24_623, 27_086, 29_794, 32_767,
    ]
    private static let indexChanges: [Int] = [-1, -1, -1, -1, 2, 4, 6, 8]

    /// The change of the sample, by step index and code: `index * 16 + code`.
    let differences: [Int32]
    /// The next step index, by the same.
    let nextIndices: [UInt8]

    enum Rounding {
        /// Rounds down each part of the step by itself, as the recommendation and QuickTime do.
        case ofParts
        /// Rounds down the sum, as most decoders of WAVE files do: (2 code + 1) step / 8.
        case ofSum
    }

    init(_ rounding: Rounding) {
        var differences: [Int32] = []
        var nextIndices: [UInt8] = []
        for (index, step) in Self.steps.enumerated() {
            for code in 0..<16 as Range<Int32> {
                var difference = ((2 * (code & 7) + 1) * step) >> 3
                if rounding == .ofParts {
                    difference = step >> 3
                    if code & 4 != 0 { difference += step }
                    if code & 2 != 0 { difference += step >> 1 }
                    if code & 1 != 0 { difference += step >> 2 }
                }
                differences.append(code & 8 != 0 ? -difference : difference)
                nextIndices.append(UInt8(max(0, min(Self.stepCount - 1, index + Self.indexChanges[Int(code & 7)]))))
            }
        }
        self.differences = differences
        self.nextIndices = nextIndices
    }
}

/// The decoding state of one channel.
struct IMAState {
    /// The last sample.
    var predictor: Int32 = 0
    /// Below ``IMATables/stepCount``.
    var index: UInt8 = 0

    /// Returns the next sample, from the low four bits of a code.
    @inline(__always)
    mutating func next(
        _ code: UInt8, _ differences: UnsafeBufferPointer<Int32>, _ nextIndices: UnsafeBufferPointer<UInt8>
    ) -> Float {
        let place = Int(index) << 4 | Int(code & 0x0F)
        predictor = max(-32_768, min(32_767, predictor + differences[place]))
        index = nextIndices[place]
        return Float(predictor) * 0x1p-15
    }
}
