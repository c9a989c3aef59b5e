/// Dates and times as RFC 3339 writes them, section 5.6, with a blank or `T` between them; a day is one of its month.
/// Leap seconds are none.
enum PlainDateTime {
    /// Whether something begins as a date does: `2026-`.
    static func isDate(_ token: ArraySlice<UInt8>) -> Bool {
        token.count > 4 && token.prefix(4).allSatisfy(\.isDigit) && token.dropFirst(4).first == UInt8(ascii: "-")
    }

    /// Whether something begins as a time of day does: `22:`.
    static func isTime(_ token: ArraySlice<UInt8>) -> Bool {
        token.count > 2 && token.prefix(2).allSatisfy(\.isDigit) && token.dropFirst(2).first == UInt8(ascii: ":")
    }

    /// Whether it is a date, a time, or a date with a time, which may have an offset.
    static func isValid(_ token: ArraySlice<UInt8>) -> Bool {
        var rest = token
        if isTime(token) { return takeTime(&rest) && rest.isEmpty }
        guard takeDate(&rest) else { return false }
        guard let separator = rest.popFirst() else { return true }
        guard separator == .space || separator | 0x20 == UInt8(ascii: "t"), takeTime(&rest) else { return false }
        return rest.isEmpty || takeOffset(&rest) && rest.isEmpty
    }

    private static func takeDate(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let year = takeNumber(&rest, digitCount: 4, in: 1...9_999), take("-", &rest),
            let month = takeNumber(&rest, digitCount: 2, in: 1...12), take("-", &rest)
        else { return false }
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return takeNumber(&rest, digitCount: 2, in: 1...days[month - 1]) != nil
    }

    private static func takeTime(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard takeNumber(&rest, digitCount: 2, in: 0...23) != nil, take(":", &rest),
            takeNumber(&rest, digitCount: 2, in: 0...59) != nil, take(":", &rest),
            takeNumber(&rest, digitCount: 2, in: 0...59) != nil
        else { return false }
        guard take(".", &rest) else { return true }
        let fraction = rest.prefix(while: \.isDigit)
        rest = rest[fraction.endIndex...]
        return !fraction.isEmpty
    }

    private static func takeOffset(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if take("Z", &rest) || take("z", &rest) { return true }
        guard take("+", &rest) || take("-", &rest) else { return false }
        return takeNumber(&rest, digitCount: 2, in: 0...23) != nil && take(":", &rest)
            && takeNumber(&rest, digitCount: 2, in: 0...59) != nil
    }

    private static func take(_ byte: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == byte.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    private static func takeNumber(
        _ rest: inout ArraySlice<UInt8>, digitCount: Int, in range: ClosedRange<Int>
    ) -> Int? {
        let digits = rest.prefix(digitCount)
        guard digits.count == digitCount, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest[digits.endIndex...]
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(number) ? number : nil
    }
}
