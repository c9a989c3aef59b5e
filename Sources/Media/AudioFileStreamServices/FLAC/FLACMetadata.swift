import AudioCore

// "fLaC", then blocks (RFC 9639 section 8): a byte with a last-block flag and the type, 24 bits of length, and that
// many bytes. STREAMINFO comes first. Of the others only seek table, comments and pictures are read, in pieces; the
// rest is skipped. An impossible block type is a sign of damage: the search for frames begins there.

/// Reads a FLAC file up to its frames.
struct FLACMetadata {
    private enum Stage: Equatable { case signature, header, streamInfo, seekTable, comments, picture, other, done }

    static let headerByteCount = 4

    private(set) var stream: FLACStreamInfo?
    private(set) var seekTable = FLACSeekTable()
    private(set) var comments = VorbisCommentReader()
    private var picture = PictureBlockReader()
    private var stage: Stage
    private var remaining = 0
    private var isLastBlock = false

    /// - Parameter hasSignature: whether "fLaC" comes first.
    init(hasSignature: Bool = true) { stage = hasSignature ? .signature : .header }

    /// Whether the frames begin here.
    var isDone: Bool { stage == .done }

    /// The loudspeakers of the channels.
    var channelLayout: AudioChannelLayout? {
        guard let stream else { return nil }
        let marked = comments.channelMask.map { AudioChannelLayout(speakerMask: $0) }
        if let marked, marked.labels.count == stream.channelCount { return marked }
        return AudioChannelLayout(xiphChannels: stream.channelCount)
    }

    /// Returns the picture, once.
    mutating func takePicture() -> [UInt8]? { picture.takePicture() ?? comments.takePicture() }

    /// Returns the comments found since the last call.
    mutating func takeFound() -> [(AudioInfoKey, String)] { comments.takeFound() }

    /// Returns the lyrics found since the last call.
    mutating func takeLyrics() -> [AudioStreamLyrics] { comments.takeLyrics() }

    /// Performs one step: consumes bytes, or returns the number it needs.
    mutating func step(_ bytes: RawSpan, at offset: Int64) throws(AudioStreamError) -> Progress {
        switch stage {
        case .signature:
            guard bytes.byteCount >= 4 else { return Progress(consumed: 0, needed: 4) }
            guard bytes.has("fLaC", at: 0) else { throw .invalidFile("no FLAC signature at byte \(offset)") }
            stage = .header
            return Progress(consumed: 4, needed: 0)
        case .header:
            guard bytes.byteCount >= Self.headerByteCount else {
                return Progress(consumed: 0, needed: Self.headerByteCount)
            }
            return try takeHeader(bytes.bigEndian32(at: 0), at: offset)
        case .streamInfo where bytes.byteCount < FLACStreamInfo.byteCount:
            return Progress(consumed: 0, needed: FLACStreamInfo.byteCount)
        case .seekTable where remaining >= FLACSeekTable.pointByteCount:
            guard bytes.byteCount >= FLACSeekTable.pointByteCount else {
                return Progress(consumed: 0, needed: FLACSeekTable.pointByteCount)
            }
            return takeBody(bytes, byteCount: seekTable.consume(bytes, byteCount: min(remaining, bytes.byteCount)))
        case .streamInfo:
            do throws(AudioStreamError) { stream = try FLACStreamInfo(bytes, at: 0) } catch { throw error.at(offset) }
            stage = .other
            return takeBody(bytes, byteCount: FLACStreamInfo.byteCount)
        case .done: return Progress(consumed: 0, needed: 0)
        default: break
        }
        let taken = bytes.extracting(0..<min(remaining, bytes.byteCount))
        switch stage {
        case .comments: comments.consume(taken)
        case .picture: picture.append(taken)
        default: break
        }
        return takeBody(bytes, byteCount: taken.byteCount)
    }

    private mutating func takeHeader(_ word: UInt32, at offset: Int64) throws(AudioStreamError) -> Progress {
        let type = word >> 24 & 0x7F
        guard stream != nil || (type == 0 && word & 0xFF_FFFF == FLACStreamInfo.byteCount) else {
            throw .invalidFile("no STREAMINFO at byte \(offset) of a FLAC file")
        }
        // Type 127 is forbidden (section 8.1): it would look like a frame's sync code.
        guard type != 127, stream == nil || type != 0 else {
            stage = .done
            return Progress(consumed: 0, needed: 0)
        }
        isLastBlock = word >> 31 == 1
        remaining = Int(word & 0xFF_FFFF)
        switch type {
        case 0: stage = .streamInfo
        case 3:
            stage = .seekTable
            seekTable.expect(pointCount: remaining / FLACSeekTable.pointByteCount)
        case 4: stage = .comments
        case 6:
            stage = .picture
            picture.begin()
        default: stage = .other
        }
        if remaining == 0 { endBlock() }
        return Progress(consumed: Self.headerByteCount, needed: 0)
    }

    private mutating func takeBody(_ bytes: RawSpan, byteCount: Int) -> Progress {
        remaining -= byteCount
        if remaining == 0 { endBlock() }
        return Progress(consumed: byteCount, needed: 0)
    }

    private mutating func endBlock() {
        if stage == .picture { picture.end() }
        stage = isLastBlock ? .done : .header
    }
}
