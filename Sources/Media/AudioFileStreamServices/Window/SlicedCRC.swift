// A CRC of 32 bits or fewer, most significant bit first, starting from zero, sixteen bytes a step ("slicing": M.
// Kounavis and F. Berry, Novel table lookup-based algorithms for high-performance CRC generation, 2008). A CRC is
// linear: table k holds what a byte contributes when k more bytes follow it, so the sixteen look-ups of one step do not
// wait for each other.

/// Computes a CRC quickly. A CRC of fewer than 32 bits occupies the register's upper bits.
struct SlicedCRC {
    private static let sliceCount = 16

    fileprivate let table: [UInt32]

    /// - Parameter polynomial: without its highest term, aligned to the upper bits.
    init(polynomial: UInt32) {
        var table = [UInt32](repeating: 0, count: 256 * Self.sliceCount)
        for byte in 0..<256 {
            var register = UInt32(byte) << 24
            for _ in 0..<8 { register = register << 1 ^ (register >> 31 == 1 ? polynomial : 0) }
            table[byte] = register
        }
        for index in 256..<table.count {
            let shorter = table[index - 256]
            table[index] = shorter << 8 ^ table[Int(shorter >> 24)]
        }
        self.table = table
    }

    /// FLAC's CRC of a whole frame (RFC 9639 section 9.3): x^16 + x^15 + x^2 + 1.
    static let flacFrame = SlicedCRC(polynomial: 0x8005_0000)
    /// Ogg's CRC of a page (RFC 3533 section 6).
    static let oggPage = SlicedCRC(polynomial: 0x04C1_1DB7)

    /// Returns the register after further bytes.
    func register(_ register: UInt32, after bytes: RawSpan) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBytes { Self.run(register, $0, table) }
        }
    }

    private static func run(
        _ start: UInt32, _ bytes: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        guard let first = bytes.baseAddress, let slices = table.baseAddress else { return start }
        var register = start
        var offset = 0
        @inline(__always) func word(_ index: Int) -> UInt32 {
            UInt32(bigEndian: first.loadUnaligned(fromByteOffset: offset + 4 * index, as: UInt32.self))
        }
        /// What four bytes contribute if `slice` bytes follow the last.
        @inline(__always) func amount(_ word: UInt32, _ slice: Int) -> UInt32 {
            slices[(slice + 3) << 8 + Int(word >> 24)] ^ slices[(slice + 2) << 8 + Int(word >> 16 & 0xFF)]
                ^ slices[(slice + 1) << 8 + Int(word >> 8 & 0xFF)] ^ slices[slice << 8 + Int(word & 0xFF)]
        }
        while bytes.count - offset >= sliceCount {
            register = amount(word(0) ^ register, 12) ^ amount(word(1), 8) ^ amount(word(2), 4) ^ amount(word(3), 0)
            offset += sliceCount
        }
        while offset < bytes.count {
            let byte = first.load(fromByteOffset: offset, as: UInt8.self)
            register = register << 8 ^ slices[Int(register >> 24 ^ UInt32(byte))]
            offset += 1
        }
        return register
    }
}

extension SlicedCRC {
    /// Returns the register after a few zero bytes.
    func register(_ register: UInt32, afterZeros count: Int) -> UInt32 {
        var register = register
        for _ in 0..<count { register = register << 8 ^ table[Int(register >> 24)] }
        return register
    }
}
