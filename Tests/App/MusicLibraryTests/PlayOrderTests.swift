import MusicLibrary
import Testing

@testable import tutti

/// The order of `tutti search --most-played`.
@Suite(.timeLimit(.minutes(5))) struct PlayOrderTests {
    @Test func mostPlayedComesFirstThenWhatWasPlayedLast() {
        let songs = ["/e", "/a", "/d", "/b", "/c"].map { FoundSong(path: $0, title: $0) }
        let counts = PlayCounts(Array("9\t/a\n5\t3\t/b\n8\t/c\n99\t7\t/elsewhere\n10\t1\t/a\n9\t2\t/c\n".utf8))
        let paths = SearchCommand.byPlays(songs, counts).map(\.path)
        #expect(paths == ["/c", "/b", "/a", "/e", "/d"])
        #expect(SearchCommand.byPlays(songs, PlayCounts()) == songs)
    }

    @Test func mostPlayedIsForThisMachine() throws {
        func search(_ words: String...) throws(UsageError) -> SearchCommand {
            try SearchCommand(CommandArguments(words, syntax: SearchCommand.syntax))
        }
        #expect(try search("x", "--most-played").isByPlays)
        let refusal = #expect(throws: UsageError.self) { try search("x", "--most-played", "--at", "den") }
        #expect(refusal?.message == "--most-played is for this machine's library; leave --at away")
    }
}
