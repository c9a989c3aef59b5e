import TerminalIO
import Testing

@testable import tutti

/// What is written to the terminal to draw anew.
@Suite(.timeLimit(.minutes(5))) struct LiveScreenTests {
    private let frame = [StyledLine("one"), StyledLine("two")]

    @Test func firstFrameBeginsAtTheLeft() {
        var screen = LiveScreen(isColoured: false)
        #expect(screen.draw(frame, width: 80) == "\rone\u{1B}[K\r\ntwo\u{1B}[K\u{1B}[J")
    }

    @Test func secondFrameReplacesTheFirst() {
        var screen = LiveScreen(isColoured: false)
        _ = screen.draw(frame, width: 80)
        #expect(screen.draw([StyledLine("three")], width: 80) == "\r\u{1B}[1Athree\u{1B}[K\u{1B}[J")
        #expect(screen.draw(frame, width: 80).hasPrefix("\rone"))
    }

    @Test func noticesStayAboveTheFrame() {
        var screen = LiveScreen(isColoured: false)
        _ = screen.draw(frame, width: 80)
        #expect(
            screen.draw(frame, notices: [StyledLine("hello")], width: 80)
                == "\r\u{1B}[1A\u{1B}[Khello\r\none\u{1B}[K\r\ntwo\u{1B}[K\u{1B}[J")
    }

    @Test func linesThatANarrowerTerminalWrapsAreCountedAsMore() {
        var screen = LiveScreen(isColoured: false)
        _ = screen.draw([StyledLine("123456789"), StyledLine("1")], width: 80)
        #expect(screen.draw(frame, width: 4).hasPrefix("\r\u{1B}[3A"))
    }

    @Test func afterOtherTextTheFrameBeginsAnew() {
        var screen = LiveScreen(isColoured: false)
        _ = screen.draw(frame, width: 80)
        screen.forget()
        #expect(screen.draw(frame, width: 80).hasPrefix("\rone"))
    }

    @Test func finishGoesBelowTheFrame() {
        var screen = LiveScreen(isColoured: false)
        #expect(screen.finish() == "")
        _ = screen.draw(frame, width: 80)
        #expect(screen.finish() == "\r\n")
    }

    @Test func stylesBecomeEscapeSequencesOnlyWhereWanted() {
        var line = StyledLine("a", .strong)
        line.append("b")
        #expect(line.rendered(coloured: true) == "\u{1B}[1ma\u{1B}[0mb")
        #expect(line.rendered(coloured: false) == "ab")
    }
}
