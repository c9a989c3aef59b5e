import AudioCore
import ProgrammeJSON
import Testing

@testable import tutti

/// `tutti inspect --artwork` and `--levels`: what is asked, and the numbers for scripts.
@Suite(.timeLimit(.minutes(5)))
struct InspectPartTests {
    private func part(_ words: String...) throws(UsageError) -> InspectCommand.Part? {
        try InspectCommand(CommandArguments(words, syntax: InspectCommand.syntax)).part
    }

    @Test func arguments() throws {
        #expect(try part("a.mp3", "b.mp3", "--json") == nil)
        #expect(try part("a.mp3", "--artwork") == .artwork)
        #expect(try part("--levels", "a.mp3") == .levels(asJSON: false))
        #expect(try part("--levels", "--json", "a.mp3") == .levels(asJSON: true))
    }

    @Test(arguments: [
        (["a", "--artwork", "--levels"], "--artwork and --levels exclude each other"),
        (["a", "--artwork", "--json"], "--artwork and --json exclude each other"),
        (["a", "b", "--artwork"], "--artwork takes one FILE"), (["a", "b", "--levels"], "--levels takes one FILE"),
    ])
    func usageErrors(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) {
            try InspectCommand(CommandArguments(words, syntax: InspectCommand.syntax))
        }
        #expect(error?.message == message)
    }

    @Test func levelsAsNumbers() throws {
        let header = Array("TLEV".utf8) + [1, 2, 0, 50, 0, 0, 0, 2]
        let levels = try #require(LevelEnvelope(encoded: header + [255, 249, 0, 0, 254, 1, 100, 0]))
        #expect(
            levels.json.text == #"{"intervalSeconds":0.050,"peak":[[0.0,-0.5],[null,-77.5]],"#
                + #""rms":[[-3.0,-127.0],[null,null]]}"#)
    }
}
