// The check of a frame (RFC 9639 section 9.3) is the remainder of its bytes, taken as a polynomial over GF(2), on
// division by G = x^16 + x^15 + x^2 + 1. Squaring such a polynomial doubles its exponents and no more, so that G(x^64)
// is a power of G, and modulo G
//
//     x^(16*64) = x^(15*64) + x^(2*64) + 1
//
// A word of 64 bits may thus be taken off the front if it is added to the words 1, 14 and 16 places behind it: the
// remainder stays. Nearly all bytes go away so, by nothing but additions (exclusive or) of whole words: no table, no
// multiplication, and the order of the bytes in a word does not matter. With w for the words of the file and v for what
// is taken off,
//
//     v[i] = w[i] + v[i-1] + v[i-14] + v[i-16]

/// Reckons the CRC-16 of FLAC's frames.
struct FLACFrameCheck {
    private static let wordCount = 16
    private static let blockByteCount = wordCount * MemoryLayout<UInt64>.size

    /// For the few bytes that are left.
    private let sliced = SlicedCRC.flacFrame

    /// The register after further bytes; zero before the first.
    func register(_ register: UInt16, after bytes: RawSpan) -> UInt16 {
        guard bytes.byteCount >= 3 * Self.blockByteCount else { return remainder(register, bytes) }
        return bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.wordCount) { words in
                let end = Self.fold(bytes, after: register, into: words)
                let folded = remainder(0, RawSpan(_unsafeBytes: UnsafeRawBufferPointer(words)))
                return remainder(folded, RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[end...])))
            }
        }
    }

    private func remainder(_ register: UInt16, _ bytes: RawSpan) -> UInt16 {
        UInt16(sliced.register(UInt32(register) << 16, after: bytes) >> 16)
    }

    /// Takes off all blocks of words but the last.
    /// - Parameter words: that last block, with what was added to it.
    /// - Returns: where it ends in `bytes`.
    private static func fold(
        _ bytes: UnsafeRawBufferPointer, after register: UInt16, into words: UnsafeMutableBufferPointer<UInt64>
    ) -> Int {
        // What the register holds is as good as added to the first two bytes.
        words.initialize(repeating: 0)
        words[0] = UInt64(register.bigEndian)
        var last: UInt64 = 0
        var offset = 0
        while bytes.count - offset >= 2 * blockByteCount {
            for index in 0..<wordCount {
                last ^= word(index, of: bytes, offset) ^ words[index] ^ words[(index + 2) % wordCount]
                words[index] = last
            }
            offset += blockByteCount
        }
        // Of the words behind, each gets what those before have for it.
        words[0] ^= last
        for index in 0..<14 { words[index] ^= words[index + 2] }
        for index in 0..<wordCount { words[index] ^= word(index, of: bytes, offset) }
        return offset + blockByteCount
    }

    @inline(__always)
    private static func word(_ index: Int, of bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset + index * MemoryLayout<UInt64>.size, as: UInt64.self)
    }
}
