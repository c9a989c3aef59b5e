import AudioCore

extension MusicIndex {
    /// The most words of a query that are looked at.
    private static let typedLimit = 8
    /// Lengths of words, in characters, for which there are near ones. In short ones a letter makes another word.
    private static let typedLengths = 3...40
    /// From this length on two letters may be wrong.
    private static let longLength = 6
    /// The most words of the index that are compared, the first ones.
    private static let vocabularyLimit = 200_000
    /// The most near words of which one is chosen.
    private static let nearLimit = 5

    private struct Typed {
        let field: SearchQuery.Field?
        private let limit: Int
        private var distances: EditDistance<Unicode.Scalar>
        /// The nearest ones, of equally near ones those that more songs have.
        private(set) var near: [Near] = []

        init(_ letters: [Unicode.Scalar], in field: SearchQuery.Field?) {
            self.field = field
            limit = letters.count < longLength ? 1 : 2
            distances = EditDistance(to: letters)
        }

        mutating func compare(_ other: String, _ letters: [Unicode.Scalar], songCount: Int64) {
            guard let distance = distances.distance(of: letters, atMost: limit) else { return }
            let found = Near(word: other, distance: distance, songCount: songCount)
            near.insert(found, at: near.firstIndex { found.isBetter(than: $0) } ?? near.count)
            if near.count > nearLimit { near.removeLast() }
        }
    }

    private struct Near {
        let word: String
        let distance: Int
        let songCount: Int64

        func isBetter(than other: Near) -> Bool {
            distance == other.distance ? songCount > other.songCount : distance < other.distance
        }
    }

    /// Finds what somebody may have meant whose query finds nothing: for each of its words with which nothing in the
    /// index begins the nearest word of the index, without case and diacritics. One letter of it may be wrong, in words
    /// of six and more two; nothing for a word that has none so near.
    ///
    /// Looks at all words of the index, 200,000 at most.
    public func suggestions(for query: SearchQuery) throws(LibraryError) -> [String] {
        var typed = try unknownWords(of: query)
        guard !typed.isEmpty else { return [] }
        try database.query(
            "SELECT term, doc FROM (SELECT term, doc FROM temp.vocabulary LIMIT \(Self.vocabularyLimit)) "
                + "WHERE length(term) BETWEEN 2 AND \(Self.typedLengths.upperBound + 2)"
        ) { row in
            let (word, songCount) = (row.text(0), row.integer(1))
            let letters = Array(word.unicodeScalars)
            for index in typed.indices { typed[index].compare(word, letters, songCount: songCount) }
            return true
        }
        var suggestions: [String] = []
        for word in typed {
            for near in word.near.map(\.word) where try finds(near, in: word.field, isWhole: true) {
                if !suggestions.contains(near) { suggestions.append(near) }
                break
            }
        }
        return suggestions
    }

    /// Words that must be there, and with which nothing begins.
    private func unknownWords(of query: SearchQuery) throws(LibraryError) -> [Typed] {
        try database.execute(LibrarySchema.vocabulary)
        var typed: [Typed] = []
        for term in query.terms.prefix(Self.typedLimit) where !term.isExcluded {
            for word in try words(of: term.text) where try !finds(word, in: term.field, isWhole: false) {
                let letters = Array(word.unicodeScalars)
                guard Self.typedLengths.contains(letters.count), typed.count < Self.typedLimit else { continue }
                typed.append(Typed(letters, in: term.field))
            }
        }
        return typed
    }

    /// Returns the first words of a text as the index has them: without case and diacritics.
    private func words(of text: String) throws(LibraryError) -> [String] {
        var words: [String] = []
        try database.execute("INSERT INTO temp.typed (typed) VALUES ('delete-all')")
        try database.run(
            "INSERT INTO temp.typed (rowid, text) VALUES (1, ?)", [.text(String(text.prefix(512)).separatingIdeographs)]
        )
        try database.query("SELECT term FROM temp.typed_words ORDER BY offset LIMIT \(Self.typedLimit)") { row in
            words.append(row.text(0))
            return true
        }
        return words
    }

    private func finds(
        _ word: String, in field: SearchQuery.Field?, isWhole: Bool
    ) throws(LibraryError) -> Bool {
        let term = SearchQuery.Term(field: field, text: word, isWhole: isWhole, isExcluded: false)
        return try database.integer("SELECT rowid FROM words WHERE words MATCH ? LIMIT 1", [.text(term.match)]) != nil
    }
}
