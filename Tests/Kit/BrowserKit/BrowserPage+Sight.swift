/// How the page is seen.
extension BrowserPage {
    /// Shows it on another device; what asks for its size is told.
    public func show(on device: BrowserDevice) throws(BrowserError) { try control.show(on: device) }

    /// What the user prefers, as style sheets ask for it. Chromium only.
    public func prefer(isDark: Bool, reducesMotion: Bool) throws(BrowserError) {
        try control.prefer(isDark: isDark, reducesMotion: reducesMotion)
    }

    /// A picture of what is in view, as the bytes of a PNG file.
    public func screenshot() throws(BrowserError) -> [UInt8] {
        guard let bytes = decodedBase64(try control.screenshot().utf8) else { throw .malformedMessage }
        return bytes
    }
}

/// The bytes of a base64 text (RFC 4648, section 4); nil where a character is none of its alphabet.
func decodedBase64(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for character in text {
        let value: UInt8
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): value = 62
        case UInt8(ascii: "/"): value = 63
        case UInt8(ascii: "="): return bytes
        default: return nil
        }
        bits = bits << 6 | UInt32(value)
        count += 6
        guard count >= 8 else { continue }
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
}
