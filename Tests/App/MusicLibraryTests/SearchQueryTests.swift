import Testing

@testable import MusicLibrary

@Suite(.timeLimit(.minutes(5)))
struct SearchQueryTests {
    private func term(
        _ text: String, _ field: SearchQuery.Field? = nil, isWhole: Bool = false, isExcluded: Bool = false
    ) -> SearchQuery.Term {
        .init(field: field, text: text, isWhole: isWhole, isExcluded: isExcluded)
    }

    @Test func aLineIsReadByItsQuotationMarks() {
        let query = SearchQuery(line: "  artist:\"nina simone\" little girl -live \"blue prelude\" ")
        #expect(
            query.terms == [
                term("nina simone", .artist, isWhole: true), term("little"), term("girl"),
                term("live", isExcluded: true), term("blue prelude", isWhole: true),
            ])
    }

    /// The shell has taken the quotation marks.
    @Test func anArgumentWithSpacesIsAPhrase() {
        let query = SearchQuery(arguments: ["artist:nina simone", "little", "girl"])
        #expect(query == SearchQuery(line: "artist:\"nina simone\" little girl"))
    }

    @Test(
        arguments: [
            ("year:1960", 1960...1960), ("year:1955-1965", 1955...1965), ("Year:0-9", 0...9), ("year:1965-1955", nil),
            ("year:", nil), ("year:-5", nil), ("year:x", nil),
        ] as [(String, ClosedRange<Int>?)])
    func years(line: String, years: ClosedRange<Int>?) { #expect(SearchQuery(line: line).years == years) }

    /// Whatever somebody types is searched for; there is no wrong query.
    @Test func whatIsNoFieldIsText() {
        #expect(SearchQuery(line: "AC/DC:live").terms == [term("AC/DC:live")])
        #expect(SearchQuery(line: "a\"b c\"d").terms == [term("ab cd", isWhole: true)])
        #expect(SearchQuery(line: "\"open end").terms == [term("open end", isWhole: true)])
    }

    /// As a shell passes it on that was given single quotes.
    @Test func anArgumentWithQuotationMarksIsALine() {
        let query = SearchQuery(arguments: ["artist:\"nina simone\" little", "girl"])
        #expect(query == SearchQuery(line: "artist:\"nina simone\" little girl"))
    }

    /// What is asked of another machine is what was asked for here.
    @Test(arguments: [
        ["artist:nina simone", "little", "girl"], ["-live", "-album:at the gate"], ["year:1990"],
        ["year:1990-1999", "a"],
        ["\"simone\""], ["title:x:y"], ["nina\tsimone"], ["naïve", "数え"],
    ])
    func aQueryIsALineAgain(arguments: [String]) {
        let query = SearchQuery(arguments: arguments)
        #expect(SearchQuery(line: query.line) == query, "\(query.line)")
    }

    @Test(arguments: ["", " ", "-", "\"\"", "artist:", "... --", "-live"])
    func withoutAWordThereIsNothingToLookFor(line: String) {
        #expect(SearchQuery(line: line).isEmpty)
        #expect(SearchQuery(line: line).match == nil)
    }

    @Test func nothingInATextIsAnOperator() {
        let line = #"NEAR(a OR) * ^b "c"" d" title:x{y} genre:"a:b" -e"#
        let match = SearchQuery(line: line).match
        #expect(
            match
                == #"("NEAR(a"* AND "OR)"* AND "^b"* AND "c d" AND title : "x{y}"* AND genre : "a:b") NOT "e"*"#)
    }

    /// A quotation mark with an accent upon it is one, too.
    @Test func marksBehindQuotationMarksHideNothing() {
        let query = SearchQuery(arguments: ["a\"\u{301} OR b"])
        #expect(query.match == "(\"a\"\"\u{301} OR b\")")
    }

    @Test func bothMustHold() {
        var query = SearchQuery(.artist, "Nina Simone")
        query.formIntersection(SearchQuery(line: "blue year:1950-1960"))
        query.formIntersection(SearchQuery(line: "year:1958-1970"))
        #expect(query.terms.map(\.text) == ["Nina Simone", "blue"] && query.years == 1958...1960)
    }
}
