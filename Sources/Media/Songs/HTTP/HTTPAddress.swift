/// URLs as text (RFC 3986), as far as is needed here.
enum HTTPAddress {
    /// With blanks, controls and what is not ASCII as percent signs and digits: people and lists write them as they are.
    static func encoded(_ url: String) -> String {
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

    /// What an entry of a list means that came from `base`.
    static func resolved(_ entry: String, against base: String) -> String {
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
    /// Where the text behind the first occurrence of `text` begins.
    fileprivate func range(ofText text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }.map { index($0, offsetBy: text.count) }
    }
}
