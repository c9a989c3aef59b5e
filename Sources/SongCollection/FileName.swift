/// Paths as text. They are bytes to the system; names that are no UTF-8 are not found by us.
enum FileName {
    static func join(_ directory: String, _ name: String) -> String {
        if name.hasPrefix("/") || directory.isEmpty { return name }
        return directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// All before the last slash; empty where there is none.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// In lower case, without the dot; nil for a name without one.
    static func pathExtension(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The path that a playlist's entry means: `file:` URLs are decoded (RFC 8089), a path stays as it is.
    /// - Returns: nil for other URLs.
    static func path(fromEntry entry: String) -> String? {
        guard let scheme = scheme(of: entry) else { return entry }
        guard scheme == "file" else { return nil }
        var rest = entry.dropFirst(scheme.count + 1)
        if rest.hasPrefix("//") {
            // An authority, empty or this host's name, ends at the path.
            guard let slash = rest.dropFirst(2).firstIndex(of: "/") else { return nil }
            rest = rest[slash...]
        }
        return percentDecoded(rest)
    }

    /// In lower case, of what begins as a URL with an authority does, or with `file:`.
    static func scheme(of entry: String) -> String? {
        guard let colon = entry.firstIndex(of: ":") else { return nil }
        let scheme = entry[..<colon].lowercased()
        guard let first = scheme.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic,
            scheme.unicodeScalars.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
            })
        else { return nil }
        return scheme == "file" || entry[colon...].hasPrefix("://") ? scheme : nil
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
