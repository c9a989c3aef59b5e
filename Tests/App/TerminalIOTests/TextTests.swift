import TerminalIO
import Testing

/// Outside text made safe, and measured in cells.
@Suite(.timeLimit(.minutes(5))) struct TextTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("a\u{1B}[31mred\u{1B}[0m", "ared"),
        ("\u{1B}]0;title\u{7}x", "x"),
        ("\u{1B}]0;title\u{1B}\\x", "x"),
        ("\u{1B}P1;2q#0\u{1B}\\x", "x"),
        ("\u{1B}(Bx", "x"),
        ("a\u{1B}", "a"),
        ("a\u{1B}[12;", "a"),
        ("a\u{1B}[\u{1B}[2Jb", "ab"),
        ("one\r\ntwo\tthree", "one two three"),
        ("nul\u{0}bell\u{7}del\u{7F}", "nulbelldel"),
        ("c1\u{85}\u{9B}31m\u{92}", "c1 31m"),
        ("abc\u{202E}def\u{2066}", "abcdef"),
        ("line\u{2028}sep", "line sep"),
        ("👩‍👧 naïve 音", "👩‍👧 naïve 音"),
    ])
    func terminalSafe(text: String, expected: String) {
        #expect(text.terminalSafe == expected)
        #expect(expected.terminalSafe == expected)
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("音楽", 4), ("👩‍👩‍👧‍👦", 2), ("☎\u{FE0F}", 2), ("ｱ", 1), ("Ａ", 2), ("", 0),
        ("━─±µ", 4),
        ("한글", 4), ("🎵", 2),
    ])
    func cellWidth(text: String, width: Int) {
        #expect(text.cellWidth == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abc", 1, "…"), ("abc", 0, ""), ("音楽室", 5, "音楽…"),
        ("音楽室", 4, "音…"),
    ])
    func truncation(text: String, width: Int, expected: String) {
        #expect(text.truncated(to: width) == expected)
    }

    @Test func paddingFillsToCells() {
        #expect("音".padded(to: 4) == "音  ")
        #expect("7".padded(to: 3, alignment: .right) == "  7")
    }
}

/// Rows of text.
@Suite(.timeLimit(.minutes(5))) struct WrappingTests {
    @Test func textIsBrokenAtSpaces() {
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("one two three".wrapped(to: 80) == ["one two three"])
        #expect("".wrapped(to: 10) == [""])
    }

    @Test func longWordsAreBrokenAnywhere() {
        #expect("abcdefgh ij".wrapped(to: 3) == ["abc", "def", "gh", "ij"])
        #expect("数える指".wrapped(to: 5) == ["数え", "る指"])
    }

    /// However narrow, whatever text: nothing is lost but spaces, and no row is too wide.
    @Test(arguments: 1...12) func nothingIsLost(width: Int) {
        for text in ["a b c d", "  leading", "数 える a指b", "e\u{301}e\u{301}e\u{301} x", "👩‍👩‍👧 family"] {
            let rows = text.wrapped(to: width)
            #expect(rows.joined().filter { $0 != " " } == text.filter { $0 != " " })
            #expect(rows.allSatisfy { $0.cellWidth <= max(2, width) }, "\(rows)")
        }
    }
}
