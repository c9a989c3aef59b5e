import AudioCore
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// Outside text made safe, and measured in cells.
@Suite(.timeLimit(.minutes(5))) struct DisplayTextTests {
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

    @Test(arguments: [
        (12.34, 1, true, "+12.3"), (-0.04, 1, true, "0.0"), (-34.06, 1, false, "-34.1"), (0, 0, true, "0"),
        (1.5, 0, false, "2"), (0.05, 3, false, "0.050"), (.nan, 1, false, "?"), (.infinity, 1, false, "?"),
        (1e300, 1, false, "922337203685477580.7"),
    ])
    func fixedDecimals(value: Double, decimals: Int, signed: Bool, expected: String) {
        #expect(value.fixed(decimals, signed: signed) == expected)
    }

    @Test(arguments: [(0, "0:00"), (59, "0:59"), (83, "1:23"), (3_599, "59:59"), (3_600, "1:00:00"), (-5, "0:00")])
    func clockReading(seconds: Int64, expected: String) {
        #expect(TimeSpan.seconds(seconds).clockReading == expected)
    }

    @Test func errorsAreShownInTheUnitOfTheirSize() {
        #expect(Sample.timing(error: 3, bound: 12).errorReading(.unicode) == "+3 ± 12 µs")
        #expect(Sample.timing(error: -12_340, bound: 400).errorReading(.ascii) == "-12.3 +/- 0.4 ms")
    }

    @Test func onlyCountersThatCountedAreShown() {
        #expect(ListenerCounters().reading == "")
        #expect(Sample.troubled.reading == "2 xruns, 1 re-placement")
    }
}
