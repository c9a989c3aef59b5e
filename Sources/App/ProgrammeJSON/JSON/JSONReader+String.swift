extension JSONReader {
    /// Reads a string from its first quotation mark to behind its last.
    mutating func string() throws(JSONError) -> String {
        place += 1
        var text: [UInt8] = []
        // Of what has no escapes.
        var start = place
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += try unescaped(start..<place)
                place += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += try unescaped(start..<place)
                text += Array(String(try escape()).utf8)
                start = place
            case 0..<0x20: throw error(.controlCharacter)
            default: place += 1
            }
        }
        throw error(.endsEarly)
    }

    /// Returns these bytes if they are UTF-8.
    private func unescaped(_ range: Range<Int>) throws(JSONError) -> ArraySlice<UInt8> {
        let piece = bytes[range]
        if String(validating: piece, as: UTF8.self) != nil { return piece }
        var (offset, parser, rest) = (range.lowerBound, UTF8.ForwardParser(), piece.makeIterator())
        while case .valid(let scalar) = parser.parseScalar(from: &rest) { offset += scalar.count }
        throw JSONError(.notUTF8, at: offset)
    }

    /// Reads an escape (section 7): one character, of which a surrogate pair may be made.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = place
        place += 1
        guard let byte = next else { throw error(.endsEarly) }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar(from: start)
        default: throw JSONError(.badEscape, at: start)
        }
    }

    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let unit = try codeUnit(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), take("\\"), take("u") else { throw JSONError(.loneSurrogate, at: start) }
        let low = try codeUnit(from: place - 2)
        // UTF-16: ten bits in each half.
        let pair = 0x1_0000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(low) & 0x3FF
        guard UTF16.isTrailSurrogate(low), let scalar = Unicode.Scalar(pair) else {
            throw JSONError(.loneSurrogate, at: start)
        }
        return scalar
    }

    private mutating func codeUnit(from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw error(.endsEarly) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONError(.badEscape, at: start)
            }
            unit = unit << 4 | UInt16(digit)
            place += 1
        }
        return unit
    }
}
