/// A list of songs as a text file: M3U, M3U8 or PLS.
///
/// None of the three has a standard. M3U has one line per song, with `#` before comments and extensions (`#EXTM3U`,
/// `#EXTINF`); PLS is an INI file whose section `[playlist]` has a key `FileN` for each song. Other keys, titles and
/// lengths are ignored: the songs have their own.
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

    /// Its entries in order: paths, relative to the list's own directory, or URLs.
    public var entries: [String]

    /// Parses a list. Bytes that are not UTF-8 are taken as ISO 8859-1, the encoding of most old lists.
    public init(_ bytes: [UInt8], kind: Kind) {
        let text = Self.text(bytes)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingWhitespace }
        entries =
            switch kind {
            case .m3u: lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(String.init)
            case .pls: Self.files(in: lines)
            }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }

    /// Returns the values of `FileN`, ordered by N.
    private static func files(in lines: [Substring]) -> [String] {
        var files: [(number: Int, value: String)] = []
        for line in lines {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let key = line[..<equals].trimmingWhitespace.lowercased()
            let value = line[line.index(after: equals)...].trimmingWhitespace
            guard key.hasPrefix("file"), let number = Int(key.dropFirst(4)), !value.isEmpty else { continue }
            files.append((number, String(value)))
        }
        // The sort is stable: entries with equal numbers keep their order.
        return files.sorted { $0.number < $1.number }.map(\.value)
    }
}

extension Substring {
    fileprivate var trimmingWhitespace: Substring {
        let front = drop(while: \.isWhitespace)
        guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return front[...last]
    }
}
