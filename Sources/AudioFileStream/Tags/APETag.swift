import AudioCore

/// APE tags, version 1 and 2: skipped. A tag has a footer and in version 2 mostly a header, both of 32 bytes:
/// "APETAGEX", version, size, item count, flags, all little-endian. The size counts items and footer.
enum APETag {
    static let headerByteCount = 32

    /// Bytes to skip from the "APETAGEX" at `offset` on, whose 32 bytes the caller has checked. Nil: not a tag.
    static func byteCount(_ bytes: RawSpan, at offset: Int) -> Int? {
        guard bytes.has("APETAGEX", at: offset) else { return nil }
        let isHeader = bytes.littleEndian32(at: offset + 20) & (1 << 29) != 0
        guard isHeader else { return headerByteCount }
        let size = Int(bytes.littleEndian32(at: offset + 12))
        return size <= AudioFileStreamLimits.apeTagByteCount ? headerByteCount + size : nil
    }
}
