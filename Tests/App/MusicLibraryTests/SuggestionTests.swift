import AudioCore
import StreamTestKit
import Testing

@testable import MusicLibrary

/// What is named to somebody who finds nothing.
@Suite(.timeLimit(.minutes(5)))
struct SuggestionTests {
    private let music = MusicFolder()

    private func index() throws -> MusicIndex {
        try music.song("1.mp3", ["TIT2": "Little Girl Blue", "TPE1": "Nina Simone", "TALB": "Jazz as Played"])
        try music.song("2.mp3", ["TIT2": "Für Elise", "TPE1": "Beethoven", "TCON": "Classical"])
        try music.song("3.mp3", ["TIT2": "Grail", "TPE1": "Girls"])
        try music.song("4.mp3", ["TIT2": "東京タワー", "TPE1": "Girls"])
        return try music.index()
    }

    @Test(arguments: [
        ("simmone", ["simone"]), ("nnia", ["nina"]), ("artist:betoven", ["beethoven"]), ("FÜRR", ["fur"]),
        ("classicla", ["classical"]), ("\"ninna simone\"", ["nina"]), ("ninna simmone", ["nina", "simone"]),
        // The beginning of a word is none to correct; what must not be there is not looked for.
        ("sim girl", []), ("nina -simmone", []), ("zz", []), ("東亰", []), ("year:1950", []), ("xylophone", []),
        // The nearest word in the field that was named, and nothing of another one.
        ("artist:gril", []), ("title:gril", ["girl"]), ("title:simmone", []), ("artist:girlss", ["girls"]),
        // Of equally near ones that which more songs have.
        ("girlz", ["girls"]),
    ])
    func theNearestWordsAreNamed(line: String, words: [String]) throws {
        #expect(try index().suggestions(for: SearchQuery(line: line)) == words)
    }

    @Test func oddQueriesAreHarmless() throws {
        let index = try index()
        let long = String(repeating: "simone", count: 100_000)
        let many = (0..<2_000).map { "simmone\($0)" }.joined(separator: " ")
        for line in [
            long, many, "\"\(many)\"", "\"\u{301}simmone OR", "NEAR(simmone", "a\u{0}b", "\u{FFFE}\u{FFFF}xyz",
        ] {
            #expect(try index.suggestions(for: SearchQuery(line: line)).count <= 8)
            #expect(try index.search(SearchQuery(arguments: [line])).isEmpty)
        }
        #expect(try index.suggestions(for: SearchQuery(line: "simmone")) == ["simone"], "and leave nothing behind")
    }

    /// What is new is named, too.
    @Test func theIndexMayGrow() throws {
        let index = try index()
        #expect(try index.suggestions(for: SearchQuery(line: "mingos")) == [])
        try music.song("5.mp3", ["TIT2": "Mingus"])
        try index.update(music)
        #expect(try index.suggestions(for: SearchQuery(line: "mingos")) == ["mingus"])
    }

    // MARK: Distances

    @Test(
        arguments: [
            ("girl", "girl", 0), ("girl", "gril", 1), ("girl", "grill", 2), ("girl", "girls", 1), ("girl", "irl", 1),
            ("girl", "curl", 2), ("", "a", 1), ("", "", 0), ("abcdef", "badcfe", nil), ("girl", "x", nil),
            ("abc", "cba", 2), ("ca", "abc", nil),
        ] as [(String, String, Int?)])
    func distances(one: String, other: String, distance: Int?) {
        var distances = EditDistance(to: Array(one.unicodeScalars))
        for _ in 0..<2 { #expect(distances.distance(of: Array(other.unicodeScalars), atMost: 2) == distance) }
    }

    @Test func distancesAreAsByDefinition() {
        var random = SeededGenerator(seed: 1)
        func word() -> [Unicode.Scalar] {
            (0..<Int.random(in: 0...6, using: &random)).map { _ in ["a", "b", "c"].randomElement(using: &random) ?? "a"
            }
        }
        for _ in 0..<100 {
            let one = word()
            var distances = EditDistance(to: one)
            for _ in 0..<10 {
                let (other, limit) = (word(), Int.random(in: 0...3, using: &random))
                let expected = Self.distance(one[...], other[...])
                #expect(
                    distances.distance(of: other, atMost: limit) == (expected <= limit ? expected : nil),
                    "\(one) \(other)")
            }
        }
    }

    /// By the definition, from the last letters on.
    private static func distance(_ one: ArraySlice<Unicode.Scalar>, _ other: ArraySlice<Unicode.Scalar>) -> Int {
        guard let last = one.last, let otherLast = other.last else { return max(one.count, other.count) }
        let (rest, otherRest) = (one.dropLast(), other.dropLast())
        if last == otherLast { return distance(rest, otherRest) }
        var least = min(distance(rest, otherRest), distance(rest, other), distance(one, otherRest)) + 1
        if rest.last == otherLast, otherRest.last == last {
            least = min(least, distance(rest.dropLast(), otherRest.dropLast()) + 1)
        }
        return least
    }
}
