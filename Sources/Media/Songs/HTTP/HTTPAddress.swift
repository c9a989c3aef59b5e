/// URLs as text (RFC 3986), as far as is needed here.
package enum HTTPAddress {
    /// Percent-encodes spaces, controls and non-ASCII characters, which people and playlists leave as they are.
    package static func encoded(_ url: String) -> String {
        var text = ""
        for byte in url.utf8 {
            if (0x21...0x7E).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Resolves a playlist's entry against the playlist's URL.
    package static func resolved(_ entry: String, against base: String) -> String {
        guard SongAddress.scheme(of: entry) == nil, let start = base.range(ofText: "://") else { return entry }
        if entry.hasPrefix("//") { return base.prefix { $0 != "/" } + entry }
        let rest = base[start...].prefix { $0 != "?" && $0 != "#" }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        if entry.hasPrefix("/") { return base[..<slash] + entry }
        let directory = rest.lastIndex(of: "/").map { base[...$0] } ?? base[..<slash] + "/"
        return directory + entry
    }
}

extension String {
    /// Returns where the text after the first occurrence of `text` begins.
    fileprivate func range(ofText text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }.map { index($0, offsetBy: text.count) }
    }
}
