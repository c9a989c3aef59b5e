/// Bytes as hexadecimal digits in ASCII, as they stand in files that people may look at.
extension Collection<UInt8> {
    /// Two lower-case digits for each byte.
    package var hexDigits: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}

extension [UInt8] {
    /// Returns nil if these are not pairs of digits, of either case.
    package init?(hexDigits text: some Collection<UInt8>) {
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = (0..<digits.count / 2).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
    }
}
