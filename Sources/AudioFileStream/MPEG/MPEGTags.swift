import AudioCore

/// The tags that stand before, between and behind MPEG frames, by their first bytes.
enum MPEGTags {
    /// Bytes that must be seen to tell a tag from something else: an APE tag's header, the longest.
    static let signatureByteCount = APETag.headerByteCount

    /// Whether a tag seems to begin here; one that does not say its end (Lyrics3) too.
    static func isSignature(_ bytes: RawSpan, at offset: Int) -> Bool {
        guard offset < bytes.byteCount else { return false }
        switch bytes[offset] {
        case UInt8(ascii: "I"): return bytes.has("ID3", at: offset)
        case UInt8(ascii: "T"): return bytes.has("TAG", at: offset)
        case UInt8(ascii: "A"): return bytes.has("APETAGEX", at: offset)
        case UInt8(ascii: "L"): return bytes.has("LYRICSBEGIN", at: offset)
        default: return false
        }
    }
}
