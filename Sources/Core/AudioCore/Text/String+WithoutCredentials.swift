extension String {
    /// The text with the credentials of its URLs removed: `http://me:secret@host/a` becomes `http://host/a`.
    ///
    /// Every address that is shown, kept or announced passes through here. All that precedes the `@` of an authority
    /// (RFC 3986 section 3.2.1) is removed. A password may contain a `/`, `?` or `#` that somebody forgot to encode,
    /// which ends the authority too early: then what looks like its port is not a number, or is empty before `?` or
    /// `#`, and everything before the last `@` of the text is removed.
    public var withoutCredentials: String {
        var shown = ""
        var rest = unicodeScalars[...]
        let lastAt = rest.lastIndex(of: "@")
        while let mark = rest.indices.first(where: { rest[$0...].starts(with: "://".unicodeScalars) }) {
            let start = rest.index(mark, offsetBy: 3)
            shown += Substring(rest[..<start])
            rest = rest[start...]
            let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
            let isCut =
                authority.port.contains { !"0123456789".unicodeScalars.contains($0) }
                || authority.last == ":" && "?#".unicodeScalars.contains(rest[authority.endIndex...].first ?? "/")
            guard let at = authority.lastIndex(of: "@") ?? (isCut ? lastAt : nil), at >= rest.startIndex else {
                continue
            }
            rest = rest[rest.index(after: at)...]
        }
        return shown + Substring(rest)
    }
}

extension Substring.UnicodeScalarView {
    /// The part after the last colon of an authority, empty without a port. Bracketed addresses have colons of their
    /// own.
    fileprivate var port: Substring.UnicodeScalarView {
        let name = lastIndex(of: "]").map { self[$0...] } ?? self
        return name.lastIndex(of: ":").map { name[index(after: $0)...] } ?? name[name.endIndex...]
    }
}
