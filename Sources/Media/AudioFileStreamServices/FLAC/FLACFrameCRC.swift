// The CRC of a frame (RFC 9639 section 9.3) is the remainder of its bytes, as a polynomial over GF(2), divided by
// G = x^16 + x^15 + x^2 + 1. Squaring such a polynomial merely doubles its exponents, so G(x^64) is a power of G, and
// modulo G
//
//     x^(16*64) = x^(15*64) + x^(2*64) + 1
//
// So a 64-bit word may be removed from the front if it is added to the words 1, 14 and 16 places after it: the
// remainder stays the same. Nearly all bytes are removed in this way, by additions (exclusive or) of whole words alone:
// no table, no multiplication, and the byte order in a word does not matter. With w for the words of the file and v for
// the removed words,
//
//     v[i] = w[i] + v[i-1] + v[i-14] + v[i-16]

/// Computes the CRC-16 of FLAC frames.
struct FLACFrameCRC {
    private static let wordCount = 16
    private static let blockByteCount = wordCount * MemoryLayout<UInt64>.size

    /// For the few remaining bytes.
    private let sliced = SlicedCRC.flacFrame

    /// Returns the register after further bytes; it is zero before the first.
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

    /// Removes all blocks of words but the last.
    /// - Parameter words: receives that last block, with what was added to it.
    /// - Returns: where that block ends in `bytes`.
    private static func fold(
        _ bytes: UnsafeRawBufferPointer, after register: UInt16, into words: UnsafeMutableBufferPointer<UInt64>
    ) -> Int {
        // The register's value is equivalent to adding it to the first two bytes.
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
        // Adds to each of the following words what the previous ones contribute.
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
