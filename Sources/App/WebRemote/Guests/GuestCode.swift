import Cryptography

/// A guest's key as text: base64 with the alphabet for addresses, without padding (RFC 4648, section 5).
public enum GuestCode {
    /// Six bits each: 16 bytes take 22 characters, of which the last carries two.
    static let characterCount = 22

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter key: ``Guest/keyByteCount`` bytes.
    public static func text(of key: SecretBytes) -> String {
        var digits: [UInt8] = []
        var (bits, bitCount) = (0, 0)
        key.withBytes { bytes in
            for byte in bytes {
                bits = (bits << 8 | Int(byte)) & 0xFFFF
                bitCount += 8
                while bitCount >= 6 {
                    bitCount -= 6
                    digits.append(alphabet[bits >> bitCount & 63])
                }
            }
        }
        if bitCount > 0 { digits.append(alphabet[bits << (6 - bitCount) & 63]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the key that a code stands for; nil if it is no code. Every key has one code only.
    public static func key(of code: String) -> SecretBytes? {
        guard code.utf8.count == characterCount else { return nil }
        var bytes: [UInt8] = []
        var (bits, bitCount) = (0, 0)
        for character in code.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(bits >> bitCount & 255))
        }
        // What is left over says nothing, and must be zero (RFC 4648, section 3.5).
        guard bits & (1 << bitCount - 1) == 0 else { return nil }
        return SecretBytes(copying: bytes)
    }
}
