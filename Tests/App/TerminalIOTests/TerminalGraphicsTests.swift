import TerminalIO
import Testing

/// What a terminal is asked, and what its answers mean.
@Suite(.timeLimit(.minutes(5))) struct TerminalGraphicsTests {
    private let kittyQuery = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"

    private func graphics(_ environment: [String: String]) -> TerminalGraphics {
        TerminalGraphics.detect { environment[$0] }
    }

    /// The protocol after the terminal wrote these bytes.
    private func answered(_ bytes: String, _ environment: [String: String] = ["TERM": "xterm"]) -> GraphicsProtocol? {
        var graphics = graphics(environment)
        var decoder = KeyDecoder()
        #expect(decoder.keys(bytes.utf8).isEmpty)
        decoder.takeAnswers().forEach { graphics.receive($0) }
        return graphics.graphicsProtocol
    }

    @Test func someTerminalsAreKnownByTheirEnvironment() {
        for environment in [
            ["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], ["TERM": "xterm-kitty"],
            ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], ["TERM": "xterm-ghostty"],
            ["TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"],
        ] {
            let graphics = graphics(environment)
            #expect(graphics.graphicsProtocol == .kitty && graphics.query == "")
        }
    }

    @Test func othersAreAsked() {
        for terminal in ["xterm", "foot", "mlterm", "xterm-256color"] {
            let graphics = graphics(["TERM": terminal])
            #expect(graphics.graphicsProtocol == nil && graphics.query == kittyQuery + "\u{1B}[c")
        }
    }

    @Test func whoMayOrCanShowNothingIsNotAsked() {
        for environment in [
            [:], ["TERM": ""], ["TERM": "dumb"], ["TERM": "linux"], ["TERM": "xterm-kitty", "NO_COLOR": "1"],
        ] {
            #expect(graphics(environment).query == "" && graphics(environment).graphicsProtocol == nil)
        }
        #expect(graphics(["TERM": "xterm", "NO_COLOR": ""]).query != "")
    }

    /// What the terminal around them can do does not count.
    @Test func multiplexersAnswerForThemselves() {
        for environment in [
            ["TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"], ["TERM": "screen"],
            ["TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"], ["TERM": "xterm-kitty", "ZELLIJ": "0"],
            ["TERM": "xterm", "STY": "1.pts-0"],
        ] {
            #expect(graphics(environment).query == "\u{1B}[c" && graphics(environment).graphicsProtocol == nil)
            #expect(answered("\u{1B}[?1;2;4c", environment) == .sixels)
            #expect(answered("\u{1B}[?1;2c", environment) == nil)
            #expect(answered("\u{1B}_Gi=31;OK\u{1B}\\", environment) == nil)
        }
    }

    @Test func answersSayTheProtocol() {
        #expect(answered("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;4c") == .kitty)
        #expect(answered("\u{1B}_Gi=31;ENOTSUPPORTED:no\u{1B}\\\u{1B}[?62;c") == nil)
        #expect(answered("\u{1B}[?62;4;22c") == .sixels)
        #expect(answered("\u{1B}[?65;1;2;4;6;9;15;16;17;18;21;22;28;29c") == .sixels)
        #expect(answered("\u{1B}[?64;1;14;24;40;44c") == nil)
        #expect(answered("") == nil)
    }

    /// Another program's answers, or somebody who types them.
    @Test func onlyTheFirstAnswersCount() {
        #expect(answered("\u{1B}[?62c\u{1B}[?62;4c") == nil)
        #expect(answered("\u{1B}[?62c\u{1B}_Gi=31;OK\u{1B}\\") == nil)
        var known = graphics(["TERM": "dumb"])
        known.receive(.deviceAttributes([62, 4]))
        known.receive(.kittyGraphics(isSupported: true))
        #expect(known.graphicsProtocol == nil)
    }
}
