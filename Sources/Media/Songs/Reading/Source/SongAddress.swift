import AudioCore

/// What a user names as a song: a path, a URL, or `-`.
public enum SongAddress: Hashable, Sendable {
    case standardInput
    case file(String)
    /// An `http:` or `https:` URL, as named.
    case url(String)

    /// - Throws: if it is a URL with an unknown scheme.
    public init(_ text: String) throws(SongFailure) {
        if text == "-" {
            self = .standardInput
        } else if let scheme = Self.scheme(of: text) {
            switch scheme {
            case "http", "https": self = .url(text)
            case "file":
                guard let path = Self.path(ofFileURL: text) else {
                    throw SongFailure(.missing, "'\(text)' names no file of this machine; name its path")
                }
                self = .file(path)
            default:
                throw SongFailure(
                    .missing, "'\(text)': \(scheme) URLs cannot be played; files, http and https URLs can")
            }
        } else {
            self = .file(text)
        }
    }

    /// A name for a song without a title; contains no credentials.
    public var title: String {
        switch self {
        case .standardInput: "standard input"
        case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
        case .url(let url):
            url.withoutCredentials.drop { $0 != ":" }.dropFirst().prefix { $0 != "?" && $0 != "#" }
                .split(separator: "/").last.map(String.init) ?? "untitled"
        }
    }

    /// Returns the scheme in lower case, if the text begins like a URL with an authority, or with `file:`.
    public static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic,
            scheme.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
            })
        else { return nil }
        return scheme == "file" || text[colon...].hasPrefix("://") ? scheme : nil
    }

    /// Returns the path in a `file:` URL (RFC 8089); nil if there is none.
    public static func path(ofFileURL url: String) -> String? {
        var rest = url.drop { $0 != ":" }.dropFirst()
        if rest.hasPrefix("//") {
            // An authority, empty or the name of this host, ends where the path begins.
            guard let slash = rest.dropFirst(2).firstIndex(of: "/") else { return nil }
            rest = rest[slash...]
        }
        return percentDecoded(rest)
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
