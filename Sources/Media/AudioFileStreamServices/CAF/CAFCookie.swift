import AudioCore

// CAF specification, "Magic Cookie Chunk": its contents depend on the codec.

/// Converts CAF's magic cookies to the form that decoders take.
enum CAFCookie {
    /// AAC: an elementary stream descriptor that contains the AudioSpecificConfig (14496-1 section 7.2.6), as the body
    /// of an "esds" box or bare; or the configuration alone.
    static func aac(_ cookie: [UInt8]) -> [UInt8] {
        let versionAndFlags: [UInt8] = [0, 0, 0, 0]
        let bytes = cookie.first == 3 ? versionAndFlags + cookie : cookie
        guard bytes.starts(with: versionAndFlags + [3]) else { return cookie }
        return ElementaryStreamDescriptor(bytes.span.bytes, bytes.indices).specificInfo
    }

    /// ALAC ("Magic Cookie Description"): the configuration; in older files inside an "alac" atom with version and
    /// flags, after a "frma" atom.
    static func alac(_ cookie: [UInt8]) -> [UInt8]? {
        let head = Array("frmaalac".utf8)
        let config = cookie.count >= 24 && Array(cookie[4..<12]) == head ? Array(cookie[24...]) : cookie
        return config.count >= 24 ? config : nil
    }

    /// FLAC: the 34 bytes of STREAMINFO, bare or after its block header (RFC 9639 section 8.1).
    static func flac(_ cookie: [UInt8]) -> [UInt8]? {
        if cookie.count == FLACStreamInfo.byteCount { return cookie }
        for start in cookie.indices where cookie.count - start >= 4 + FLACStreamInfo.byteCount {
            let head = cookie[start..<start + 4]
            guard head.first! & 0x7F == 0, head.dropFirst().elementsEqual([0, 0, 34]) else { continue }
            return Array(cookie[(start + 4)..<(start + 4 + FLACStreamInfo.byteCount)])
        }
        return nil
    }

    /// Opus: the identification header (RFC 7845 section 5.1). Files without one have at most two channels.
    static func opus(_ cookie: [UInt8], channels: Int, preSkip: Int) -> [UInt8]? {
        if cookie.count >= 19, cookie.starts(with: "OpusHead".utf8) { return cookie }
        guard channels <= 2 else { return nil }
        let skip = UInt16(clamping: preSkip)
        return Array("OpusHead".utf8) + [1, UInt8(channels), UInt8(skip & 0xFF), UInt8(skip >> 8)]
            + [0x80, 0xBB, 0, 0, 0, 0, 0]
    }
}
