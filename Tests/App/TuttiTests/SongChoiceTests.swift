import Testing

@testable import tutti

/// Answers to a numbered list.
@Suite(.timeLimit(.minutes(5))) struct SongChoiceTests {
    @Test(arguments: [
        ("", SongChoice.all), ("  \t", .all), (",", .all), ("q", .none), (" Q ", .none), ("1", .some([0])),
        ("12", .some([11])), ("1-3", .some([0, 1, 2])), ("1-3, 5 7", .some([0, 1, 2, 4, 6])),
        ("3,1", .some([2, 0])), ("2 2 1-3", .some([1, 0, 2])), ("4-4", .some([3])), ("007", .some([6])),
        ("1 - 3", .some([0, 1, 2])), ("1- 3,5", .some([0, 1, 2, 4])), ("5 1 -2", .some([4, 0, 1])),
        ("1-12", .some(Array(0..<12))),
    ])
    func whatIsMeant(line: String, choice: SongChoice) throws {
        #expect(try SongChoice(line, of: 12) == choice)
    }

    @Test(arguments: [
        ("0", SongChoiceError.outside("0", 12)), ("13", .outside("13", 12)), ("1-13", .outside("13", 12)),
        ("0-3", .outside("0", 12)), ("99999999999999999999", .outside("99999999999999999999", 12)),
        ("1-99999999999999999999", .outside("99999999999999999999", 12)), ("5-3", .backwards("5-3")),
        ("x", .unreadable("x")), ("1 x", .unreadable("x")), ("q 1", .unreadable("q")), ("-", .unreadable("-")),
        ("1-", .unreadable("1-")), ("-3", .unreadable("-3")), ("1-2-3", .unreadable("1-2-3")),
        ("1--3", .unreadable("1--3")), ("+1", .unreadable("+1")), ("1.5", .unreadable("1.5")),
        ("\u{661}", .unreadable("\u{661}")), ("1;2", .unreadable("1;2")), ("all", .unreadable("all")),
    ])
    func whatIsNoAnswer(line: String, problem: SongChoiceError) {
        #expect(throws: problem) { try SongChoice(line, of: 12) }
        #expect(!"\(problem)".contains("\n"))
    }

    @Test func thePromptNamesWhatThereIs() {
        #expect(SongQuestion.prompt(12) == "songs to take (1-12, 3 5; enter: all; q: none)? ")
        #expect(SongQuestion.prompt(4) == "songs to take (1-4; enter: all; q: none)? ")
        #expect(SongQuestion.prompt(1) == "songs to take (1; enter: all; q: none)? ")
    }

    private func flags(_ words: String..., canAsk: Bool = true) throws(UsageError) -> SongFlags? {
        try SongFlags(CommandArguments(words, syntax: PlayCommand.syntax), canAsk: canAsk)
    }

    @Test func choosingIsForWhatIsFound() throws {
        #expect(try flags("a.mp3") == nil)
        #expect(try flags("--choose", "--artist", "x") != nil)
        #expect(try flags("a.mp3", "--choose", "--playlist", "x") != nil)
        for words in [["--choose"], ["--choose", "a.mp3"], ["--choose", "-", "--artist", "x"]] {
            #expect(throws: UsageError.self) {
                try SongFlags(CommandArguments(words, syntax: PlayCommand.syntax), canAsk: true)
            }
        }
        let refusal = #expect(throws: UsageError.self) { try flags("--choose", "--artist", "x", canAsk: false) }
        #expect(refusal?.message == "--choose asks on a terminal, and there is none")
        #expect(throws: UsageError.self) {
            try SearchCommand(CommandArguments(["x", "--choose"], syntax: SearchCommand.syntax))
        }
    }
}
