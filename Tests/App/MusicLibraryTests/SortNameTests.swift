import Testing

@testable import MusicLibrary

@Suite(.timeLimit(.minutes(5)))
struct SortNameTests {
    @Test(arguments: [
        ("The Beatles", "Beatles"), ("the beatles", "beatles"), ("A Camp", "Camp"), ("An Horse", "Horse"),
        ("Theatre", "Theatre"), ("Anthrax", "Anthrax"), ("The", "The"), ("A", "A"), ("The The", "The"), ("", ""),
        ("The  Who", "Who"), ("the ", "the "), ("An ", "An "), ("Abba", "Abba"), ("Die Ärzte", "Die Ärzte"),
    ])
    func articlesDoNotCount(name: String, sort: String) { #expect(SortName.withoutArticle(name) == sort) }

    @Test func onlyWhatDiffersIsKept() {
        #expect(SortName.kept(of: "Abba", tag: nil) == nil && SortName.kept(of: "Abba", tag: "Abba") == nil)
        #expect(SortName.kept(of: "The Who", tag: nil) == "Who")
        #expect(SortName.kept(of: "The Who", tag: "Who, The") == "Who, The")
        #expect(SortName.kept(of: "A Perfect Circle", tag: "A Perfect Circle") == nil, "the tag knows better")
    }
}
