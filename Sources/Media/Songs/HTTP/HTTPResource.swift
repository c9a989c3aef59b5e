import AudioFileStreamServices

/// What a server's first answer tells of the whole thing.
struct HTTPResource: Hashable {
    /// Nil where it has no end that is known.
    var byteCount: Int64?
    /// Whether bytes can be had from anywhere.
    var hasRanges: Bool
    var isStation: Bool
    /// The kind of list that it is; nil for a song.
    var listKind: Playlist.Kind?
    private var mark: String?

    init(_ head: HTTPResponseHead) {
        let range = head.range
        isStation = head.isStation
        hasRanges = range.map { $0.start == 0 } ?? false && !isStation
        byteCount = isStation ? nil : range?.total ?? head.contentLength
        mark = Self.mark(head)
    }

    /// What tells one version from another.
    private static func mark(_ head: HTTPResponseHead) -> String? { head["etag"] ?? head["last-modified"] }

    var access: ByteAccess {
        if hasRanges, let byteCount { return .file(byteCount: byteCount) }
        return .stream
    }

    enum Continuation: Hashable {
        /// At the byte that is wanted, behind so many that are known.
        case bytes(skipped: Int64)
        /// With what is sent now.
        case gap
    }

    /// How a later answer goes on at `position`; nil where it is about something else.
    func continuation(_ head: HTTPResponseHead, at position: Int64) -> Continuation? {
        guard let byteCount else { return .gap }
        if let mark, let other = Self.mark(head), mark != other { return nil }
        if let range = head.range { return range.total == byteCount ? skip(range.start, position) : nil }
        return head.contentLength == byteCount ? skip(0, position) : nil
    }

    private func skip(_ start: Int64, _ position: Int64) -> Continuation? {
        start <= position ? .bytes(skipped: position - start) : nil
    }
}
