extension [UInt8] {
    mutating func append(little value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    mutating func append(big value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// A chunk of IFF's kind with a big-endian size of 32 bits; the body's length is even.
    mutating func appendChunk(_ name: String, _ body: [UInt8]) {
        self += Array(name.utf8)
        append(big: UInt32(body.count))
        self += body
    }
}
