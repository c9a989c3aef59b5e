/// Reads a frame bit by bit, most significant bit first (RFC 9639 section 5), never beyond its end.
struct FLACBitReader {
    /// The frame is not one, or not whole.
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    /// Bytes that are in the cache, or were.
    private var loadedByteCount = 0
    /// The next bits, from the top; those behind them are the file's next ones, or zero.
    private var cache: UInt64 = 0
    private var cachedBitCount = 0

    /// - Parameter bytes: outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Bits that were read.
    var bitOffset: Int { loadedByteCount * 8 - cachedBitCount }

    /// At least 56 bits are there then, unless the end is near.
    @inline(__always)
    private mutating func refill() {
        guard cachedBitCount < 56 else { return }
        if bytes.count - loadedByteCount >= 8 {
            let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: loadedByteCount, as: UInt64.self))
            cache |= word >> UInt64(cachedBitCount)
            loadedByteCount += (63 - cachedBitCount) >> 3
            cachedBitCount |= 56
            return
        }
        while cachedBitCount < 56, loadedByteCount < bytes.count {
            cache |= UInt64(bytes[loadedByteCount]) << UInt64(56 - cachedBitCount)
            loadedByteCount += 1
            cachedBitCount += 8
        }
    }

    @inline(__always)
    private mutating func drop(_ count: Int) {
        cache <<= UInt64(count)
        cachedBitCount -= count
    }

    /// - Parameter count: 0 to 56.
    @inline(__always)
    mutating func unsigned(_ count: Int) throws(Damage) -> UInt64 {
        guard count > 0 else { return 0 }
        refill()
        guard count <= cachedBitCount else { throw Damage() }
        defer { drop(count) }
        return cache >> UInt64(64 - count)
    }

    /// Two's complement.
    /// - Parameter count: 0 to 56.
    @inline(__always)
    mutating func signed(_ count: Int) throws(Damage) -> Int64 {
        guard count > 0 else { return 0 }
        let value = try unsigned(count) << UInt64(64 - count)
        return Int64(bitPattern: value) >> Int64(64 - count)
    }

    /// Zeros up to a one.
    @inline(__always)
    mutating func unary() throws(Damage) -> Int {
        var count = 0
        while true {
            refill()
            let zeros = cache.leadingZeroBitCount
            if zeros < cachedBitCount {
                drop(zeros + 1)
                return count + zeros
            }
            guard cachedBitCount > 0 else { throw Damage() }
            count += cachedBitCount
            drop(cachedBitCount)
        }
    }
}
