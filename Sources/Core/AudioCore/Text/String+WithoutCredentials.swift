extension String {
    /// The text without the credentials of the URLs in it: `http://me:secret@host/a` becomes `http://host/a`.
    ///
    /// The one place that makes an address fit to be shown, kept or announced. What goes is all before the `@` of an
    /// authority (RFC 3986 section 3.2.1). A password may hold `/`, `?` or `#` where somebody forgot to encode them, and
    /// the authority ends too early: then what looks like its port is no number, or nothing in front of `?` or `#`, and all
    /// before the last `@` of the text goes.
    public var withoutCredentials: String {
        var shown = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let mark = rest.indices.first(where: { rest[$0...].starts(with: "://".unicodeScalars) }) {
            let start = rest.index(mark, offsetBy: 3)
            shown += rest[..<start]
            rest = rest[start...]
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            let isCut =
                authority.port.contains { !"0123456789".unicodeScalars.contains($0) }
                || authority.last == ":" && "?#".unicodeScalars.contains(rest[authority.endIndex...].first ?? "/")
            guard let at = authority.lastIndex(of: "@") ?? (isCut ? rest.lastIndex(of: "@") : nil) else { continue }
            rest = rest[rest.index(after: at)...]
        }
        return String(shown + rest)
    }
}

extension Substring.UnicodeScalarView {
    /// Behind the last colon of an authority; empty where it has no port. Addresses in brackets have colons of their own.
    fileprivate var port: Substring.UnicodeScalarView {
        let name = lastIndex(of: "]").map { self[$0...] } ?? self
        return name.lastIndex(of: ":").map { name[index(after: $0)...] } ?? name[name.endIndex...]
    }
}
