// A subframe (RFC 9639 section 9.2) is a channel of a frame: a predictor, and what it was wrong by. All is reckoned in
// 64 bits: samples have 33 at most (those of a side channel), coefficients 15, and there are 32 of them, so that no sum
// overflows as long as every sample is in its range. Those that are not are no encoder's.

/// Decodes one channel of a frame.
struct FLACSubframe {
    /// The channel's frames; all of them are written unless the frame is damaged.
    let samples: UnsafeMutableBufferPointer<Int64>
    /// Of a sample, wasted bits included.
    let bitCount: Int

    func decode(_ reader: inout FLACBitReader) throws(FLACBitReader.Damage) {
        guard try reader.unsigned(1) == 0 else { throw FLACBitReader.Damage() }
        let type = Int(try reader.unsigned(6))
        // Section 9.2.2.
        let wastedBitCount = try reader.unsigned(1) == 1 ? try reader.unary() + 1 : 0
        guard wastedBitCount < bitCount else { throw FLACBitReader.Damage() }
        let bits = bitCount - wastedBitCount
        // Section 9.2.1.
        switch type {
        case 0: samples.update(repeating: try reader.signed(bits))
        case 1: try takeVerbatim(samples.count, bits, &reader)
        case 8...12: try decode(Self.fixed[type - 8], shift: 0, bits, &reader, warmed: false)
        case 32...63: try decodeLinear(order: type - 31, bits, &reader)
        default: throw FLACBitReader.Damage()
        }
        guard wastedBitCount > 0 else { return }
        for index in samples.indices { samples[index] <<= Int64(wastedBitCount) }
    }

    /// Section 9.2.5, nearest sample first.
    private static let fixed: [[Int64]] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]

    private func takeVerbatim(
        _ count: Int, _ bits: Int, _ reader: inout FLACBitReader
    ) throws(FLACBitReader.Damage) {
        guard count <= samples.count else { throw FLACBitReader.Damage() }
        for index in 0..<count { samples[index] = try reader.signed(bits) }
    }

    /// Section 9.2.6.
    private func decodeLinear(
        order: Int, _ bits: Int, _ reader: inout FLACBitReader
    ) throws(FLACBitReader.Damage) {
        try takeVerbatim(order, bits, &reader)
        let precision = Int(try reader.unsigned(4)) + 1
        let shift = try reader.signed(5)
        guard precision < 16, shift >= 0 else { throw FLACBitReader.Damage() }
        var coefficients: [Int64] = []
        for _ in 0..<order { coefficients.append(try reader.signed(precision)) }
        try decode(coefficients, shift: shift, bits, &reader, warmed: true)
    }

    /// - Parameter warmed: the first samples were taken; otherwise they come next.
    private func decode(
        _ coefficients: [Int64], shift: Int64, _ bits: Int, _ reader: inout FLACBitReader, warmed: Bool
    ) throws(FLACBitReader.Damage) {
        if !warmed { try takeVerbatim(coefficients.count, bits, &reader) }
        try takeResidual(order: coefficients.count, &reader)
        let isRight = coefficients.withUnsafeBufferPointer { predict($0, shift: shift, bits) }
        guard isRight else { throw FLACBitReader.Damage() }
    }

    /// Adds to what the predictor was wrong by what it said.
    /// - Returns: whether all samples are in their range.
    private func predict(_ coefficients: UnsafeBufferPointer<Int64>, shift: Int64, _ bits: Int) -> Bool {
        let order = coefficients.count
        for index in order..<samples.count {
            var sum: Int64 = 0
            for place in 0..<order { sum &+= coefficients[place] &* samples[index &- 1 &- place] }
            let sample = samples[index] &+ sum >> shift
            let beyond = sample >> Int64(bits - 1)
            guard beyond == 0 || beyond == -1 else { return false }
            samples[index] = sample
        }
        return true
    }

    /// Section 9.2.7: in partitions, each with a Rice code of its own.
    private func takeResidual(order: Int, _ reader: inout FLACBitReader) throws(FLACBitReader.Damage) {
        let method = try reader.unsigned(2)
        guard method < 2 else { throw FLACBitReader.Damage() }
        let parameterBitCount = method == 0 ? 4 : 5
        let escape = 1 << parameterBitCount - 1
        let partitionOrder = Int(try reader.unsigned(4))
        let frameCount = samples.count >> partitionOrder
        guard frameCount << partitionOrder == samples.count, frameCount >= order else { throw FLACBitReader.Damage() }
        for partition in 0..<(1 << partitionOrder) {
            let range = max(order, partition * frameCount)..<(partition + 1) * frameCount
            let parameter = Int(try reader.unsigned(parameterBitCount))
            if parameter == escape {
                let bits = Int(try reader.unsigned(5))
                for index in range { samples[index] = try reader.signed(bits) }
            } else {
                try takeRice(range, parameter, &reader)
            }
        }
    }

    /// The packet has too few bits for a number that overflows.
    private func takeRice(
        _ range: Range<Int>, _ parameter: Int, _ reader: inout FLACBitReader
    ) throws(FLACBitReader.Damage) {
        for index in range {
            let high = Int64(try reader.unary()) << Int64(parameter)
            let folded = high | Int64(bitPattern: try reader.unsigned(parameter))
            samples[index] = folded >> 1 ^ -(folded & 1)
        }
    }
}
