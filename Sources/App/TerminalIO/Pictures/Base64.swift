/// Base64 (RFC 4648, section 4).
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
    private static let padding: UInt8 = 0x3D

    /// Appends the bytes of one text with its padding.
    /// - Returns: false if it is no base64; then what was appended means nothing.
    static func decode(_ text: some Collection<UInt8>, into bytes: inout [UInt8]) -> Bool {
        guard text.count.isMultiple(of: 4) else { return false }
        var group: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for character in text {
            let value = values[Int(character)]
            if value == 0xFF {
                guard character == padding, digitCount % 4 + paddingCount >= 2 else { return false }
                paddingCount += 1
                continue
            }
            guard paddingCount == 0 else { return false }
            group = group << 6 | UInt32(value)
            digitCount += 1
            if digitCount.isMultiple(of: 4) {
                bytes += [UInt8(truncatingIfNeeded: group >> 16), UInt8(truncatingIfNeeded: group >> 8)]
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        switch digitCount % 4 {
        case 2: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        case 3: bytes += [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)]
        default: break
        }
        return paddingCount == (4 - digitCount % 4) % 4
    }

    static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var count = 0
        func digit(_ shift: Int) -> UInt8 { digits[Int(group >> UInt32(shift) & 0x3F)] }
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            count += 1
            guard count.isMultiple(of: 3) else { continue }
            for shift in [18, 12, 6, 0] { text.append(digit(shift)) }
            group = 0
        }
        switch count % 3 {
        case 1:
            group <<= 4
            text += [digit(6), digit(0), padding, padding]
        case 2:
            group <<= 2
            text += [digit(12), digit(6), digit(0), padding]
        default: break
        }
        return text
    }
}
