import AudioCore

// Vorbis comments (Vorbis I section 5; FLAC's in RFC 9639 section 8.6, Opus's in RFC 7845 section 5.2): the length of
// the vendor string and the string, the number of fields, and for each field its length and "NAME=value" in UTF-8; all
// lengths are 32 bits little-endian. Read in one pass: bytes may come in any pieces, and a comment with megabytes of
// pictures needs no more memory than one picture.

/// Reads the comments of one stream.
struct VorbisCommentReader {
    private enum Stage: Equatable {
        case vendorLength, fieldCount, fieldLength
        /// A field that is kept whole; or a long one, kept only if its name says that it is a picture or lyrics.
        case field, longFieldName
        case picture, skip
        case done
    }

    /// Fields not yet taken by ``takeFound()``.
    private var found: [(AudioInfoKey, String)] = []
    private(set) var channelMask: UInt32?
    /// Lyrics not yet taken by ``takeLyrics()``: at most one text of each name.
    private var foundLyrics: [AudioStreamLyrics] = []
    private var lyrics = LyricsFields()
    private var picture = PictureBlockReader()
    private var base64 = Base64Decoder()
    private var stage = Stage.vendorLength
    private var fieldsToCome: UInt32 = 0
    /// Bytes of the field, or of what is skipped, still to come.
    private var remaining = 0
    /// The bytes of a length or a field so far.
    private var buffer: [UInt8] = []

    private static let pictureName = Array("METADATA_BLOCK_PICTURE=".utf8)

    /// Returns the fields found since the last call.
    mutating func takeFound() -> [(AudioInfoKey, String)] {
        defer { found.removeAll() }
        return found
    }

    /// Returns the lyrics found since the last call.
    mutating func takeLyrics() -> [AudioStreamLyrics] {
        defer { foundLyrics.removeAll() }
        return foundLyrics
    }

    /// Returns the picture, once.
    mutating func takePicture() -> [UInt8]? { picture.takePicture() }

    /// Consumes the next bytes of the comments; ignores what follows the last field.
    mutating func consume(_ bytes: RawSpan) {
        var place = 0
        while place < bytes.byteCount, stage != .done {
            let wanted: Int
            switch stage {
            case .vendorLength, .fieldCount, .fieldLength: wanted = 4 - buffer.count
            case .longFieldName: wanted = min(remaining, Self.pictureName.count - buffer.count)
            default: wanted = remaining
            }
            let end = place + min(wanted, bytes.byteCount - place)
            take(bytes.extracting(place..<end))
            place = end
        }
    }

    private mutating func take(_ bytes: RawSpan) {
        switch stage {
        case .vendorLength, .fieldCount, .fieldLength:
            bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
            if buffer.count == 4 { endNumber(buffer.span.bytes.littleEndian32(at: 0)) }
            return
        case .field, .longFieldName: bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
        case .picture: base64.decode(bytes, into: &picture)
        case .skip, .done: break
        }
        remaining -= bytes.byteCount
        if stage == .longFieldName, buffer.count == Self.pictureName.count { endLongFieldName() }
        if remaining == 0 { endField() }
    }

    private mutating func endNumber(_ number: UInt32) {
        buffer.removeAll(keepingCapacity: true)
        switch stage {
        case .vendorLength:
            remaining = Int(number)
            stage = number == 0 ? .fieldCount : .skip
            fieldsToCome = .max
        case .fieldCount:
            fieldsToCome = number
            stage = number == 0 ? .done : .fieldLength
        default:
            fieldsToCome -= 1
            remaining = Int(number)
            stage = remaining <= AudioFileStreamLimits.tagTextByteCount ? .field : .longFieldName
            if remaining == 0 { endField() }
        }
    }

    private mutating func endLongFieldName() {
        if let (name, _) = VorbisCommentKeys.split(buffer), lyrics.wants(name), remaining <= Limits.lyricsByteCount {
            stage = .field
            return
        }
        let isPicture = VorbisCommentKeys.areEqual(buffer[...], Self.pictureName)
        stage = isPicture && !picture.isSatisfied ? .picture : .skip
        base64 = Base64Decoder()
        picture.begin()
    }

    private mutating func endField() {
        switch stage {
        case .field where buffer.starts(with: Self.pictureName, by: VorbisCommentKeys.isEqual):
            picture.begin()
            var decoder = Base64Decoder()
            let text = buffer
            decoder.decode(text.span.bytes.extracting(Self.pictureName.count..<text.count), into: &picture)
            picture.end()
        case .field:
            if let mask = VorbisCommentKeys.channelMask(buffer) { channelMask = channelMask ?? mask }
            if let field = VorbisCommentKeys.field(buffer) { found.append(field) }
            if let (name, value) = VorbisCommentKeys.split(buffer), let words = lyrics.take(name, value[...]) {
                foundLyrics.append(words)
            }
        case .picture: picture.end()
        // The vendor string was skipped.
        case .skip where fieldsToCome == .max:
            stage = .fieldCount
            return
        default: break
        }
        // The reader may live as long as the song: do not keep the storage of lyrics.
        buffer.removeAll(keepingCapacity: buffer.count <= AudioFileStreamLimits.tagTextByteCount)
        stage = fieldsToCome == 0 ? .done : .fieldLength
    }
}
