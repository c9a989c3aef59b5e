import AudioCore

/// Reads FLAC's picture block (RFC 9639 section 8.8), which Ogg comments hold in base64: type, lengths and texts of
/// MIME type and description, four numbers, the picture's length and the picture; all numbers are 32 bits big-endian.
///
/// Icons and links are not artwork; of several pictures the first counts.
struct PictureBlockReader {
    /// Bytes allowed for the fields around a picture.
    private static let textByteCount = 64 * 1024

    private var bytes: [UInt8] = []
    private var picture: [UInt8]?
    /// A picture was found; no other is wanted.
    private(set) var isSatisfied = false
    private var isTooLarge = false

    /// Begins a block.
    mutating func begin() {
        bytes.removeAll()
        isTooLarge = false
    }

    mutating func append(_ byte: UInt8) {
        guard hasRoom(1) else { return }
        bytes.append(byte)
    }

    mutating func append(_ more: RawSpan) {
        guard hasRoom(more.byteCount) else { return }
        more.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Ends a block.
    mutating func end() {
        if !isSatisfied, !isTooLarge, let found = Self.picture(bytes.span.bytes) {
            picture = found
            isSatisfied = true
        }
        bytes = []
    }

    /// Returns the picture, once.
    mutating func takePicture() -> [UInt8]? { picture.take() }

    private mutating func hasRoom(_ byteCount: Int) -> Bool {
        guard !isSatisfied, !isTooLarge else { return false }
        if bytes.count + byteCount > Limits.artworkByteCount + Self.textByteCount {
            isTooLarge = true
            bytes = []
        }
        return !isTooLarge
    }

    private static func picture(_ bytes: RawSpan) -> [UInt8]? {
        var place = 0
        func number() -> Int? {
            guard bytes.byteCount - place >= 4 else { return nil }
            place += 4
            return Int(bytes.bigEndian32(at: place - 4))
        }
        // Types 1 and 2 are file icons.
        guard let type = number(), type != 1, type != 2, let mimeByteCount = number() else { return nil }
        let isLink = mimeByteCount == 3 && bytes.has("-->", at: place)
        guard !isLink, mimeByteCount <= textByteCount else { return nil }
        place += mimeByteCount
        guard let descriptionByteCount = number(), descriptionByteCount <= textByteCount else { return nil }
        place += descriptionByteCount + 16
        guard let byteCount = number(), byteCount > 0, byteCount <= Limits.artworkByteCount,
            byteCount <= bytes.byteCount - place
        else { return nil }
        return bytes.copy(place..<place + byteCount)
    }
}

/// Decodes base64 (RFC 4648 section 4) in pieces of any size. Ignores characters that are not digits.
struct Base64Decoder {
    private var bits: UInt32 = 0
    private var bitCount = 0

    mutating func decode(_ text: RawSpan, into picture: inout PictureBlockReader) {
        for index in 0..<text.byteCount {
            guard let digit = Self.digit(text[index]) else { continue }
            bits = bits << 6 | digit
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            picture.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
    }

    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61) + 26
        case 0x30...0x39: UInt32(character - 0x30) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
