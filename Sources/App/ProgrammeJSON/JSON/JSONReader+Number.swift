extension JSONReader {
    /// Reads a number (section 6).
    mutating func number() throws(JSONError) -> JSONValue {
        let start = place
        let isNegative = take("-")
        let whole = try digits()
        guard whole.count == 1 || whole.first != UInt8(ascii: "0") else { throw JSONError(.badNumber, at: start) }
        let fraction = take(".") ? try digits() : []
        let exponent = take("e") || take("E") ? try exponent() : 0
        if let value = Self.integer(isNegative, Array(whole + fraction), scale: exponent - fraction.count) {
            return .integer(value)
        }
        let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)) ?? .infinity
        guard value.isFinite else { throw JSONError(.numberTooLarge, at: start) }
        // Rounded to a whole number, it would be written as one.
        return Int64(exactly: value).map { .integer($0) } ?? .double(value)
    }

    /// Returns at least one digit.
    private mutating func digits() throws(JSONError) -> ArraySlice<UInt8> {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        guard place > start else { throw error(.badNumber) }
        return bytes[start..<place]
    }

    /// Beyond what makes a number infinite or zero, however long it is, all exponents are the same.
    private mutating func exponent() throws(JSONError) -> Int {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        let size = try digits().reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
        return isNegative ? -size : size
    }

    /// Returns the digits times a power of ten, if that is a number of `Int64`.
    private static func integer(_ isNegative: Bool, _ digits: [UInt8], scale: Int) -> Int64? {
        let zero = UInt8(ascii: "0")
        let leading = digits.drop { $0 == zero }
        guard let last = leading.lastIndex(where: { $0 != zero }) else { return 0 }
        let significant = leading[...last]
        let zeros = scale + leading.count - significant.count
        // Int64.max has 19 digits.
        guard zeros >= 0, significant.count + zeros <= 19 else { return nil }
        let text = (isNegative ? "-" : "") + String(decoding: significant, as: UTF8.self)
        return Int64(text + String(repeating: "0", count: zeros))
    }
}
