import AudioFileStreamServices

/// The properties of a resource, from the server's first response.
package struct HTTPResource: Hashable {
    /// Nil if no end is known.
    package var byteCount: Int64?
    /// Whether the server supports range requests.
    package var hasRanges: Bool
    package var isStation: Bool
    /// The kind of playlist; nil for a song.
    var listKind: Playlist.Kind?
    private var mark: String?

    package init(_ head: HTTPResponseHead) {
        let range = head.range
        isStation = head.isStation
        hasRanges = range.map { $0.start == 0 } ?? false && !isStation
        byteCount = isStation ? nil : range?.total ?? head.contentLength
        mark = Self.mark(head)
    }

    /// Returns what identifies the version of the resource.
    private static func mark(_ head: HTTPResponseHead) -> String? { head["etag"] ?? head["last-modified"] }

    var access: ByteAccess {
        if hasRanges, let byteCount { return .file(byteCount: byteCount) }
        return .stream
    }

    package enum Continuation: Hashable {
        /// At the wanted byte, after skipping this many known ones.
        case bytes(skipped: Int64)
        /// With the bytes that are sent now.
        case gap
    }

    /// Returns how a later response continues at `position`; nil if the resource has changed.
    package func continuation(_ head: HTTPResponseHead, at position: Int64) -> Continuation? {
        guard let byteCount else { return .gap }
        if let mark, let other = Self.mark(head), mark != other { return nil }
        if let range = head.range { return range.total == byteCount ? skip(range.start, position) : nil }
        return head.contentLength == byteCount ? skip(0, position) : nil
    }

    private func skip(_ start: Int64, _ position: Int64) -> Continuation? {
        start <= position ? .bytes(skipped: position - start) : nil
    }
}
