extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(big value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends an IFF chunk with a 32-bit big-endian size; the body's size must be even.
    mutating func appendChunk(_ name: String, _ body: [UInt8]) {
        self += Array(name.utf8)
        append(big: UInt32(body.count))
        self += body
    }
}
