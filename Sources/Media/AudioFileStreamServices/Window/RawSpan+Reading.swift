extension RawSpan {
    /// The byte at `offset`; an offset beyond the end is a programming error and traps.
    @inline(__always)
    subscript(offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always)
    func littleEndian16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    func littleEndian32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func bigEndian16(at offset: Int) -> UInt16 {
        UInt16(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func littleEndian64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func bigEndian64(at offset: Int) -> UInt64 {
        UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the whole ASCII text stands at `offset`.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard offset >= 0, text.utf8CodeUnitCount <= byteCount - offset else { return false }
        return text.withUTF8Buffer { characters in
            for index in characters.indices where self[offset + index] != characters[index] { return false }
            return true
        }
    }

    /// Copies the bytes of `range`; for short fields only.
    func copy(_ range: Range<Int>) -> [UInt8] {
        extracting(range).withUnsafeBytes { Array($0) }
    }
}
