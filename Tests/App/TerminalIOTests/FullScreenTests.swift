import TerminalIO
import Testing

/// What is written to a terminal to show frames.
@Suite(.timeLimit(.minutes(5))) struct FullScreenTests {
    private let lines = [StyledLine("one", .strong), StyledLine("two"), StyledLine("three", .selected)]

    @Test func onlyLinesThatChangedAreWritten() {
        var screen = FullScreen(isColoured: true)
        let first = screen.draw(lines, width: 5)
        #expect(
            first
                == "\u{1B}[?2026h\u{1B}[2J\u{1B}[1;1H\u{1B}[1mone\u{1B}[0m\u{1B}[K\u{1B}[2;1Htwo\u{1B}[K"
                + "\u{1B}[3;1H\u{1B}[7mthree\u{1B}[0m\u{1B}[?2026l")
        #expect(screen.draw(lines, width: 5) == "")
        var changed = lines
        changed[1] = StyledLine("too")
        #expect(screen.draw(changed, width: 5) == "\u{1B}[?2026h\u{1B}[2;1Htoo\u{1B}[K\u{1B}[?2026l")
    }

    @Test func whatTheScreenLostIsDrawnAnew() {
        var screen = FullScreen(isColoured: true)
        let first = screen.draw(lines, width: 5)
        screen.forget()
        #expect(screen.draw(lines, width: 5) == first)
        #expect(screen.draw(Array(lines.prefix(2)), width: 5).contains("\u{1B}[2J"))
    }

    /// Without colour the selection still shows.
    @Test func withoutColourTheSelectionIsReversed() {
        var screen = FullScreen(isColoured: false)
        let text = screen.draw(lines, width: 5)
        #expect(text.contains("\u{1B}[1;1Hone\u{1B}[K") && text.contains("\u{1B}[7mthree\u{1B}[0m"))
    }
}
