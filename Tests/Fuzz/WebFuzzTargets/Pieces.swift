/// Sizes of pieces, in which bytes come.
enum Pieces {
    /// Bytes of an input that say them.
    static let byteCount = 5

    /// Small ones, large ones, each one byte at least; to be used over and over.
    static func sizes(_ bytes: some Collection<UInt8>) -> [Int] {
        let sizes = bytes.map { byte in
            let size = Int(byte & 0x3F)
            return max(1, byte < 0x80 ? size : size * 64)
        }
        return sizes.isEmpty ? [1] : sizes
    }
}
