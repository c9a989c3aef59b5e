extension SearchQuery {
    /// What must not be there, in the same language; nil if there is nothing of that kind.
    var exclusion: String? {
        let excluded = terms.filter(\.isExcluded).map(\.match)
        return excluded.isEmpty ? nil : excluded.joined(separator: " OR ")
    }

    /// The query in FTS5's language (https://sqlite.org/fts5.html, section 3); nil without a term that must be there.
    ///
    /// Every text is written as a string, so nothing in it is taken for an operator.
    var match: String? {
        let wanted = terms.filter { !$0.isExcluded }.map(\.match)
        guard !wanted.isEmpty else { return nil }
        let excluded = terms.filter(\.isExcluded).map { " NOT \($0.match)" }
        return "(" + wanted.joined(separator: " AND ") + ")" + excluded.joined()
    }
}

extension SearchQuery.Term {
    /// The term in that language.
    var match: String {
        var quoted = "\""
        // Not by characters: a mark behind it makes another one of a quotation mark.
        for scalar in text.separatingIdeographs.unicodeScalars {
            // A zero ends what FTS5 reads.
            quoted.unicodeScalars.append(scalar == "\0" ? " " : scalar)
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
        }
        quoted += isWhole ? "\"" : "\"*"
        return field.map { "\($0.rawValue) : \(quoted)" } ?? quoted
    }
}
