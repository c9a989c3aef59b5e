/// Values without quotes and brackets: booleans, numbers, dates and times.
enum PlainValue {
    /// The most bytes of a value that an error shows.
    private static let shownByteCount = 40

    /// - Parameter token: ASCII.
    static func value(_ token: ArraySlice<UInt8>) throws(TOMLProblem.Cause) -> TOMLValue {
        let text = String(decoding: token, as: UTF8.self)
        switch text {
        case "": throw .noValue
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .float(.infinity)
        case "-inf": return .float(-.infinity)
        case "nan", "+nan", "-nan": return .float(.nan)
        default: break
        }
        let shown = String(decoding: token.prefix(shownByteCount), as: UTF8.self)
        if PlainDateTime.isDate(token) || PlainDateTime.isTime(token) {
            guard PlainDateTime.isValid(token) else { throw .badDateTime(shown) }
            return .dateTime(text)
        }
        guard let first = token.first, first.isDigit || "+-.".utf8.contains(first) else { throw .noQuotes(shown) }
        if let float = float(token) { return .float(float) }
        guard let (digits, radix) = integerDigits(token) else { throw .badNumber(shown) }
        guard let integer = Int64(digits, radix: radix) else { throw .numberTooLarge(shown) }
        return .integer(integer)
    }

    /// Returns an integer's sign and digits without underscores, and its radix; nil if it is none.
    private static func integerDigits(_ token: ArraySlice<UInt8>) -> (String, radix: Int)? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where token.starts(with: prefix.utf8) {
            var rest = token.dropFirst(2)
            guard takeDigits(&rest, where: { $0.hexadecimalDigit.map { $0 < radix } ?? false }), rest.isEmpty else {
                return nil
            }
            return (plain(token.dropFirst(2)), radix)
        }
        var rest = token
        guard takeDecimal(&rest), rest.isEmpty else { return nil }
        return (plain(token), 10)
    }

    /// Returns the nearest number if this has a fraction or an exponent, and is written as TOML wants it.
    private static func float(_ token: ArraySlice<UInt8>) -> Double? {
        var rest = token
        guard takeDecimal(&rest), !rest.isEmpty else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest, where: \.isDigit) else { return nil }
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
            guard takeDigits(&rest, where: \.isDigit) else { return nil }
        }
        return rest.isEmpty ? Double(plain(token)) : nil
    }

    /// Takes a sign and decimal digits without zeros in front.
    private static func takeDecimal(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if let sign = rest.first, "+-".utf8.contains(sign) { rest.removeFirst() }
        let digits = rest
        guard takeDigits(&rest, where: \.isDigit) else { return false }
        return digits.first != UInt8(ascii: "0") || digits.count - rest.count == 1
    }

    /// Takes digits, between which single underscores may stand.
    private static func takeDigits(_ rest: inout ArraySlice<UInt8>, where isDigit: (UInt8) -> Bool) -> Bool {
        var isBehindDigit = false
        while let byte = rest.first {
            if isDigit(byte) {
                isBehindDigit = true
            } else if byte == UInt8(ascii: "_"), isBehindDigit {
                isBehindDigit = false
            } else {
                break
            }
            rest.removeFirst()
        }
        return isBehindDigit
    }

    private static func plain(_ token: ArraySlice<UInt8>) -> String {
        String(decoding: token.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
    }
}
