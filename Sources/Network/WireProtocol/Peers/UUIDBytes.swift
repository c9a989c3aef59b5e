/// A UUID (RFC 9562) without Foundation: 16 bytes, shown as `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`.
public struct UUIDBytes: Hashable, Sendable, BitwiseCopyable {
    /// The most significant 8 bytes, as a big-endian number.
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a random UUID: version 4 (RFC 9562 section 5.4).
    public static func random() -> UUIDBytes {
        var generator = SystemRandomNumberGenerator()
        return UUIDBytes(
            high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Parses the 36-character form, in either case. Returns nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        var halves: [UInt64] = [0, 0]
        var digits = 0
        for (index, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            halves[digits / 16] = halves[digits / 16] << 4 | UInt64(digit)
            digits += 1
        }
        self.init(high: halves[0], low: halves[1])
    }
}

extension UUIDBytes: CustomStringConvertible {
    public var description: String {
        let digits = [high, low].map { value in
            let hex = String(value, radix: 16)
            return String(repeating: "0", count: 16 - hex.count) + hex
        }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}
