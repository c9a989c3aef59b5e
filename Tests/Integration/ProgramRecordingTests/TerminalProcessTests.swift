import StreamTestKit
import Testing

/// What is left of a terminal by whoever drew on it, by a real process on a pseudoterminal.
@Suite(.timeLimit(.minutes(5))) struct TerminalProcessTests {
    /// Whatever ends it from outside: the echo of keys and the cursor are back. Quitting ends it at once, as a quit.
    @Test(arguments: [("INT", 0), ("TERM", 0), ("HUP", 0), ("QUIT", 131)])
    func aSignalLeavesTheTerminalAsItWas(signal: String, code: Int) throws {
        let directory = TemporaryDirectory()
        let session = """
            ulimit -c 0
            stty -g > before
            (
                for i in {1..500}; do
                    sleep 0.02
                    stty -g < /dev/tty > during
                    cmp -s before during || break
                done
                kill -\(signal) $(cat pid)
            ) &
            sh -c 'echo $$ > pid; exec env --default-signal=QUIT,HUP,TERM tutti join 127.0.0.1:9 --no-mdns --output null'
            echo $? > code
            stty -g > after

            """
        try Tool.writeFile(directory.path + "/session", Array(session.utf8))
        try TuttiProcess.run(
            "TERM=xterm script -qec 'bash session' typescript < /dev/null > /dev/null", in: directory)
        func text(_ name: String) throws -> String {
            String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
        }
        #expect(try text("during") != text("before"), "nothing was changed")
        #expect(try text("after") == text("before"))
        #expect(try text("code") == "\(code)\n")
        let drawn = try text("typescript")
        let hidden = drawn.ranges(of: "\u{1B}[?25l").last?.lowerBound
        let shown = drawn.ranges(of: "\u{1B}[?25h").last?.lowerBound
        #expect(try #require(hidden) < #require(shown))
    }

    /// Each key is shown as soon as it is pressed.
    @Test func keysChangeAListenersVolume() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            #"""
            shown() {
                for i in {1..500}; do grep -q "$1" typescript 2> /dev/null && return; sleep 0.02; done
                false
            }
            cat > session <<'EOF'
            echo $$ > pid
            exec tutti join 127.0.0.1:9 --no-mdns --output null
            EOF
            (
                shown 'volume 100 %' && printf -- - && shown 'volume 95 %' && printf m && shown 'volume off' &&
                    printf + && shown 'volume 100 %.*volume 100 %' && echo all > outcome
                kill -INT $(cat pid)
            ) | TERM=xterm script -qfec 'bash session' typescript > /dev/null
            """#, in: directory)
        #expect(String(decoding: try Tool.readFile(directory.path + "/outcome"), as: UTF8.self) == "all\n")
    }

    /// A terminal that takes nothing, as after Ctrl-S, keeps nobody from quitting: SIGALRM ends what waits for it.
    @Test func quittingNeedsNoTerminal() throws {
        let directory = TemporaryDirectory()
        let session = """
            ulimit -c 0
            stty -g > before
            (
                for i in {1..500}; do
                    sleep 0.02
                    stty -g < /dev/tty > during
                    cmp -s before during || break
                done
                python3 -c 'import termios; termios.tcflow(0, termios.TCOOFF)' < /dev/tty
                kill -QUIT $(cat pid)
            ) &
            sh -c 'echo $$ > pid; exec env --default-signal=QUIT tutti join 127.0.0.1:9 --no-mdns --output null'
            echo $? > code

            """
        try Tool.writeFile(directory.path + "/session", Array(session.utf8))
        try TuttiProcess.run(
            "TERM=xterm script -qec 'bash session 2> said' typescript < /dev/null > /dev/null", in: directory)
        #expect(String(decoding: try Tool.readFile(directory.path + "/code"), as: UTF8.self) == "142\n")
    }

    /// What whoever started it has ignored, as nohup does the hang-up, stays ignored.
    @Test(arguments: ["HUP", "QUIT"]) func anIgnoredSignalStaysIgnored(signal: String) throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            ulimit -c 0
            trap '' \(signal)
            tutti join 127.0.0.1:9 --no-mdns --output null > said 2>&1 & joined=$!
            for i in {1..500}; do [ -s said ] && break; sleep 0.02; done
            kill -\(signal) $joined
            sleep 0.3
            [ -e /proc/$joined/exe ] && echo goes on > outcome
            kill -INT $joined
            wait $joined
            echo $? >> outcome
            """, in: directory)
        #expect(String(decoding: try Tool.readFile(directory.path + "/outcome"), as: UTF8.self) == "goes on\n0\n")
    }
}
