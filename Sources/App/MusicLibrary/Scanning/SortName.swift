/// What names are ordered by.
enum SortName {
    private static let articles = ["the ", "an ", "a "]

    /// A name without its leading English article: "Beatles" for "The Beatles". Nothing but an article is a name.
    static func withoutArticle(_ name: String) -> String {
        let lowercased = name.prefix(4).lowercased()
        for article in articles where lowercased.hasPrefix(article) {
            let rest = name.dropFirst(article.count).drop { $0 == " " }
            return rest.isEmpty ? name : String(rest)
        }
        return name
    }

    /// What an index keeps to order a name by: what a tag says, else the name without its article; nil where that is
    /// the name itself.
    static func kept(of name: String, tag: String?) -> String? {
        let sort = tag ?? withoutArticle(name)
        return sort.utf8.elementsEqual(name.utf8) ? nil : sort
    }
}
