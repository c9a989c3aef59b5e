/// Appends numbers and texts as files have them.
extension [UInt8] {
    public mutating func append(ascii text: String) { append(contentsOf: text.utf8) }

    public mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    public mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites with a big-endian number.
    public mutating func put(bigEndian value: some FixedWidthInteger, at offset: Int) {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: value)
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}

/// Bytes that look like audio and hold no 0xFF, so that only headers look like headers.
public func payload(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0..<0xFF, using: &generator) }
}
