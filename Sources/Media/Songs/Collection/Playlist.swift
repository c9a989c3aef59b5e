import AudioCore

/// A list of songs as a text file: M3U, M3U8 or PLS.
///
/// None of the three has a standard. M3U has one line per song, with `#` before comments and extensions (`#EXTM3U`,
/// `#EXTINF`); PLS is an INI file whose section `[playlist]` has a key `FileN` for each song, and may have `TitleN` and
/// `LengthN`. Other keys and comments are ignored.
public struct Playlist: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case m3u, pls

        /// Creates the kind for a file name's extension; nil if it is not a playlist.
        public init?(fileName: String) {
            switch FileName.pathExtension(of: fileName) {
            case "m3u", "m3u8": self = .m3u
            case "pls": self = .pls
            default: return nil
            }
        }
    }

    /// The largest size; nobody makes a longer list by hand.
    public static let byteCountLimit = 4 * 1024 * 1024
    /// A year; no song is longer.
    private static let secondsLimit: Int64 = 366 * 86_400
    private static let information = "#EXTINF:"

    /// A song as a list names it. What it says of the song counts where nobody knows better.
    public struct Entry: Hashable, Sendable {
        /// A path, relative to the list's own directory, or a URL.
        public var address: String
        /// Nil where the list has none.
        public var title: String?
        /// Nil where the list has none.
        public var duration: TimeSpan?

        public init(address: String, title: String? = nil, duration: TimeSpan? = nil) {
            self.address = address
            self.title = title
            self.duration = duration
        }
    }

    /// Its songs in order.
    public let songs: [Entry]
    /// The addresses of its songs in order: paths, relative to the list's own directory, or URLs.
    public var entries: [String] { songs.map(\.address) }

    /// Parses a list. Bytes that are not UTF-8 are taken as ISO 8859-1, the encoding of most old lists.
    public init(_ bytes: [UInt8], kind: Kind) {
        let text = Self.text(bytes)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingWhitespace }
        songs =
            switch kind {
            case .m3u: Self.songs(inM3U: lines)
            case .pls: Self.songs(inPLS: lines)
            }
    }

    /// Bytes that are not UTF-8 are taken as ISO 8859-1.
    static func text(_ bytes: [UInt8]) -> String {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }

    private static func songs(inM3U lines: [Substring]) -> [Entry] {
        var songs: [Entry] = []
        var next = Entry(address: "")
        for line in lines where !line.isEmpty {
            if line.hasPrefix(information) {
                next = entry(line.dropFirst(information.count))
            } else if !line.hasPrefix("#") {
                next.address = String(line)
                songs.append(next)
                next = Entry(address: "")
            }
        }
        return songs
    }

    /// - Parameter text: what stands behind `#EXTINF:`: seconds, attributes of some players (`tvg-id="a,b"`), a comma,
    ///   and the title.
    private static func entry(_ text: Substring) -> Entry {
        var isQuoted = false
        let comma = text.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        let title = comma.map { text[text.index(after: $0)...].trimmingWhitespace } ?? ""
        return Entry(address: "", title: title.isEmpty ? nil : String(title), duration: duration(text))
    }

    /// Returns whole seconds at the beginning of a text; nil where they are not told (-1, 0) or make no sense.
    private static func duration(_ text: Substring) -> TimeSpan? {
        guard let seconds = Int64(text.prefix { $0.isASCII && $0.isNumber }), (1...secondsLimit).contains(seconds)
        else {
            return nil
        }
        return .seconds(seconds)
    }

    /// Returns the songs of `FileN`, ordered by N.
    private static func songs(inPLS lines: [Substring]) -> [Entry] {
        var files: [(number: Int, value: String)] = []
        var titles: [Int: String] = [:]
        var durations: [Int: TimeSpan] = [:]
        for line in lines {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let key = line[..<equals].trimmingWhitespace.lowercased()
            let value = line[line.index(after: equals)...].trimmingWhitespace
            guard !value.isEmpty else { continue }
            if key.hasPrefix("file"), let number = Int(key.dropFirst(4)) {
                files.append((number, String(value)))
            } else if key.hasPrefix("title"), let number = Int(key.dropFirst(5)) {
                titles[number] = String(value)
            } else if key.hasPrefix("length"), let number = Int(key.dropFirst(6)) {
                durations[number] = duration(value)
            }
        }
        // The sort is stable: entries with equal numbers keep their order.
        return files.sorted { $0.number < $1.number }.map {
            Entry(address: $0.value, title: titles[$0.number], duration: durations[$0.number])
        }
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: Substring {
        let front = drop(while: \.isWhitespace)
        guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return front[...last]
    }
}
