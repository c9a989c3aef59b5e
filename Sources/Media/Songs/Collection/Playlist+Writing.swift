import AudioCore

/// A song in a list that is written: where it is, and what players show of it before they read it.
public struct PlaylistSong: Hashable, Sendable {
    /// An absolute path, or a URL.
    public var address: String
    /// "Artist - Title" by custom.
    public var title: String
    /// Nil where it is not known.
    public var duration: TimeSpan?

    public init(address: String, title: String, duration: TimeSpan? = nil) {
        self.address = address
        self.title = title
        self.duration = duration
    }
}

extension Playlist {
    /// Returns the text of an M3U8 file, which is UTF-8: `#EXTM3U`, then two lines for each song, `#EXTINF` with whole
    /// seconds (-1 where they are not known) and title, and where it is.
    ///
    /// A path that is no line of its own, as there is a line break in it, is written as a `file:` URL (RFC 8089).
    /// - Parameter directory: an absolute path: songs below it are named from there; all by absolute paths where it is
    ///   nil.
    public static func m3u8(_ songs: [PlaylistSong], relativeTo directory: String? = nil) -> String {
        "#EXTM3U\n" + lines(songs, directory)
    }

    /// Returns the bytes of an M3U file with songs added at its end. What was there stays as it is, comments and all;
    /// it is made UTF-8 if it was not.
    public static func appending(_ songs: [PlaylistSong], to list: [UInt8]) -> [UInt8] {
        guard !list.isEmpty else { return Array(m3u8(songs).utf8) }
        var bytes = String(validating: list, as: UTF8.self) == nil ? Array(text(list).utf8) : list
        if bytes.last != UInt8(ascii: "\n"), bytes.last != UInt8(ascii: "\r") { bytes.append(UInt8(ascii: "\n")) }
        return bytes + lines(songs, nil).utf8
    }

    private static func lines(_ songs: [PlaylistSong], _ directory: String?) -> String {
        var text = ""
        for song in songs {
            let seconds = song.duration.map { Int64(max(0, $0.seconds).rounded()) } ?? -1
            let title = song.title.split(whereSeparator: \.isNewline).joined(separator: " ")
            text += "#EXTINF:\(seconds),\(title)\n\(line(song.address, directory))\n"
        }
        return text
    }

    private static func line(_ address: String, _ directory: String?) -> String {
        guard address.utf8.first == UInt8(ascii: "/") else { return address }
        if let directory, let relative = relativePath(of: address, below: directory) {
            if let plain = [relative, "./" + relative].first(where: isPlain) { return plain }
        }
        return isPlain(address) ? address : fileURL(address)
    }

    private static func relativePath(of path: String, below directory: String) -> String? {
        let above = directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
        guard path.utf8.starts(with: above.utf8) else { return nil }
        let rest = path.utf8.dropFirst(above.utf8.count)
        // With another slash it would be a path from the root on.
        guard let first = rest.first, first != UInt8(ascii: "/") else { return nil }
        return String(decoding: rest, as: UTF8.self)
    }

    /// Whether a line is read as this very path: no comment, no URL, no break, no space at its ends.
    private static func isPlain(_ path: String) -> Bool {
        Playlist(Array(path.utf8), kind: .m3u).entries == [path] && (try? SongAddress(path)) == .file(path)
    }

    /// Keeps RFC 3986's unreserved characters (section 2.3) and slashes.
    private static func fileURL(_ path: String) -> String {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
        return path.utf8.reduce(into: "file://") { url, byte in
            if kept.contains(byte) {
                url.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                url += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
