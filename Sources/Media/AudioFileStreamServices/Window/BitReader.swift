/// Reads bit fields of any width, most significant bit first, from a short byte array.
struct BitReader {
    private let bytes: [UInt8]
    /// Bits read so far.
    private(set) var position = 0
    /// Whether a read went beyond the end; missing bits read as zeros.
    private(set) var isOverrun = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter count: at most 32.
    mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let byte = position >> 3
            if byte >= bytes.count { isOverrun = true }
            let bit = byte < bytes.count ? Int(bytes[byte] >> UInt8(7 - position & 7)) & 1 : 0
            value = value << 1 | bit
            position += 1
        }
        return value
    }

    mutating func readFlag() -> Bool { read(1) == 1 }

    mutating func skip(_ count: Int) { _ = read(count) }
}

/// Writes bit fields of any width, most significant bit first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func write(_ value: Int, _ count: Int) {
        for shift in (0..<count).reversed() {
            if bitCount & 7 == 0 { bytes.append(0) }
            bytes[bytes.count - 1] |= UInt8(value >> shift & 1) << UInt8(7 - bitCount & 7)
            bitCount += 1
        }
    }

    /// Pads with zeros to the next whole byte.
    mutating func align() { bitCount = bytes.count * 8 }
}
