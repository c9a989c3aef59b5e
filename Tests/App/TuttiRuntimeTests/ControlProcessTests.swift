import LANKit
import StreamTestKit
import Testing

/// `tutti queue`, `tutti status` and their like, as processes beside a broadcaster and a listener.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ControlProcessTests {
    private struct Outputs {
        var commands = ""
        var broadcaster = ""
        var listener = ""
    }

    /// Runs lines of Bash while Shelf hears Den, which begins with `songs`. `here` runs a command on the broadcaster's
    /// machine, `there` on the listener's, and `far` on a third, as far as they can tell. What they print is among the
    /// outputs, each with its exit code. There are songs of 20 s: a.wav, b.wav and c.wav.
    private func whileHeard(songs: String = "a.wav", options: String = "", _ lines: String) throws -> Outputs {
        let directory = TemporaryDirectory()
        let (port, other) = (freePort(), freePort())
        try Tool.run(
            "for n in a b c; do sox -R -n -r 8000 -b 16 $n.wav synth 20 sine 300; done; "
                + "mkdir here there far; chmod 700 here there far", in: directory)
        let script = """
            export XDG_STATE_HOME=$PWD/state LC_ALL=C
            tutti=\(buildDirectory)/tutti
            trap 'kill $(jobs -p) 2> /dev/null' EXIT
            run() { d=$1; shift; XDG_RUNTIME_DIR=$PWD/$d $tutti "$@" >> out 2>&1; echo "[$?]" >> out; }
            here() { run here "$@"; }; there() { run there "$@"; }; far() { run far "$@" --at 127.0.0.1:\(port); }
            await() { for i in $(seq 200); do eval "$1" > probe 2>&1 && return; sleep 0.05; done; echo "never: $1" >> out; }
            until_status() { await "XDG_RUNTIME_DIR=$PWD/here $tutti status | grep -q '$1'"; }
            XDG_RUNTIME_DIR=$PWD/there $tutti join --name Shelf --output null --no-mdns --port \(other) > join.log 2>&1 &
            XDG_RUNTIME_DIR=$PWD/here $tutti broadcast \(songs) \(options) --name Den --no-mdns --port \(port) \
                --listener 127.0.0.1:\(other) > broadcast.log 2>&1 & b=$!
            until_status 'queue:'
            \(lines)
            kill -INT $b; wait $b
            """
        try Tool.writeFile(directory.path + "/script", Array(script.utf8))
        try Tool.run("timeout --kill-after=5 60 bash -m script || true", in: directory)
        func text(_ name: String) throws -> String {
            String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
        }
        return Outputs(
            commands: try text("out"), broadcaster: try text("broadcast.log"), listener: try text("join.log"))
    }

    @Test func whatIsNotThereIsNotQueued() throws {
        let out = try whileHeard(
            """
            until_status 'Shelf .*playing'
            here queue add none.wav; here queue add b.wav /dev/zero; here queue insert 1 b.wav
            await "XDG_RUNTIME_DIR=$PWD/here $tutti queue | grep -q 'b.wav *0:20'"; here queue
            """
        ).commands
        #expect(
            out == """
                tutti: 'none.wav' does not exist; check the path
                [66]
                tutti: '/dev/zero' is not a file; name a song
                [66]
                [0]
                   no  song   length
                    1  b.wav    0:20
                >   2  a.wav    0:20
                [0]

                """)
    }

    @Test func whatPlaysNextIsShownEverywhere() throws {
        let outputs = try whileHeard(
            songs: "a.wav b.wav",
            """
            until_status 'Shelf .*playing'; here queue remove 2; here queue add c.wav
            await "grep -q 'next: c.wav' join.log"
            """)
        #expect(outputs.commands == "[0]\n[0]\n")
        for log in [outputs.broadcaster, outputs.listener] {
            let lines = log.split(separator: "\n").filter { $0.hasPrefix("next: ") }
            #expect(lines == ["next: b.wav", "next: c.wav"], "\(log)")
        }
    }

    /// The broadcaster's own files, with tags and without; one that is no song; and one that was sent.
    @Test func queuedSongsAreKnownBeforeTheyPlay() throws {
        let outputs = try whileHeard(
            options: "--accept-songs",
            """
            until_status 'Shelf .*playing'; printf 'no song' > broken.mp3
            for n in first last sent; do
                ffmpeg -v error -i a.wav -metadata title="$n song" -metadata artist=Nina -metadata album=Blue $n.mp3
            done
            here queue add first.mp3 b.wav broken.mp3 last.mp3; far queue add sent.mp3
            await "XDG_RUNTIME_DIR=$PWD/here $tutti queue | grep -q 'sent song'"; here queue; here queue --json
            await "grep -q 'next: first song' join.log"
            """)
        let rows = outputs.commands.split(separator: "\n").map(String.init)
        for row in ["2  first song - Nina *0:20", "3  b.wav *0:20", "4  broken.mp3", "5  last song - Nina *0:20"] {
            let pattern = try Regex(" " + row.replacing(".", with: "\\.") + "$")
            #expect(rows.contains { $0.contains(pattern) }, "\(row): \(rows)")
        }
        #expect(rows.contains { $0.contains("6  sent song - Nina") }, "\(rows)")
        let json = #""title":"last song","artist":"Nina","album":"Blue","seconds":20."#
        #expect(rows.contains { $0.contains(json) }, "\(rows)")
        #expect(!outputs.broadcaster.contains("broken"), "\(outputs.broadcaster)")
    }

    @Test func anIdleBroadcastSaysSo() throws {
        let outputs = try whileHeard(
            songs: "", options: "--idle", "await \"grep -q idle broadcast.log\"; here status; here status --json")
        let lines = outputs.broadcaster.split(separator: "\n")
        #expect(lines.contains("idle") && !outputs.broadcaster.contains("song:"), "\(lines)")
        #expect(outputs.commands.hasPrefix("Den\nidle\nqueue: 0 songs\n"), "\(outputs.commands)")
        #expect(!outputs.commands.contains("\n\n["), "no empty line at the end: \(outputs.commands)")
    }

    /// At the broadcaster's machine, and at the listener's, through it.
    @Test(arguments: ["here", "there"]) func whoWatchesSeesEachChangeAndTheEnd(place: String) throws {
        let out = try whileHeard(
            """
            until_status 'Shelf .*playing'
            XDG_RUNTIME_DIR=$PWD/\(place) $tutti status --watch > watch.log 2>&1 & w=$!
            await "grep -q queue: watch.log"
            here queue add b.wav; await "grep -q next: watch.log"; here queue remove 2
            await "grep -q 'next: nothing' watch.log"
            kill -INT $b; wait $w; echo "watch [$?]" >> out; cat watch.log >> out
            """
        ).commands
        #expect(out.hasPrefix("[0]\n[0]\nwatch [0]\nDen\nplaying: a.wav, "), "\(out)")
        let lines = out.split(separator: "\n").map(String.init)
        #expect(lines.count { $0.hasPrefix("playing: ") } == 1, "\(out)")
        #expect(lines.contains("next: b.wav") && lines.contains("next: nothing"), "\(out)")
        #expect(lines.last == "Den ended the broadcast: the broadcaster stopped", "\(out)")
    }

    @Test func aMistakenNameIsToldTheRightOne() throws {
        let out = try whileHeard(
            "until_status 'Shelf .*playing'; here pause --at Dem; there pause --at Dem"
        ).commands
        let line = "tutti: no broadcast named 'Dem' was found, and none at a host of that name; did you mean 'Den'?"
        #expect(out == "\(line)\n[68]\n\(line)\n[68]\n")
    }

    @Test func theBroadcasterTellsWhoAddedWhat() throws {
        let outputs = try whileHeard(
            options: "--accept-songs",
            """
            until_status 'Shelf .*playing'
            far queue add b.wav; there queue add c.wav; here queue add a.wav; far queue insert c.wav
            """)
        let lines = outputs.broadcaster.split(separator: "\n").filter { $0.contains(" added ") }
        #expect(lines.first?.hasSuffix(" added 'b.wav'") == true, "\(lines)")
        #expect(lines.dropFirst() == ["Shelf added 'c.wav'"], "\(lines)")
        #expect(outputs.commands.hasPrefix("[0]\n[0]\n[0]\ntutti queue: the number"), "\(outputs.commands)")
        #expect(outputs.commands.hasSuffix("\n[64]\n"), "\(outputs.commands)")
    }

    /// The answer comes when the listener has told how it is set.
    @Test func aListenerIsSetWhenTheCommandEnds() throws {
        let out = try whileHeard(
            """
            until_status 'Shelf .*playing'
            for n in 10 20 30; do here volume shelf $n; XDG_RUNTIME_DIR=$PWD/here $tutti status | grep -o '^Shelf .* '$n >> out
            done
            here volume +5
            """
        ).commands
        let lines = out.split(separator: "\n")
        #expect(lines.count == 8 && lines.count { $0.hasPrefix("Shelf ") } == 3, "\(out)")
        #expect(lines.suffix(2) == ["the volume of the group is 100 as it was", "[0]"], "\(out)")
    }

    /// A code is good for all pages of a machine: each is shown, by the name in its certificate if it has one.
    @Test func guestsAreShownEveryPageOfTheMachine() throws {
        let (port, plain, secure) = (freePort(), freePort(), freePort())
        let out = try whileHeard(
            options: "--web-port \(plain)",
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tutti \
                -keyout page.key -out page.pem -addext subjectAltName=DNS:music.example.org > openssl.log 2>&1
            await "grep -q 'page for browsers' broadcast.log"
            XDG_RUNTIME_DIR=$PWD/here $tutti broadcast --idle --no-mdns --port \(port) --web-port \(secure) \
                --certificate page.pem --certificate-key page.key > secure.log 2>&1 &
            await "grep -q 'page for browsers' secure.log"
            here guests add Anna --json
            """
        ).commands
        #expect(out.contains("\"https://music.example.org:\(secure)/#"), "\(out)")
        #expect(out.contains(":\(plain)/#") && out.hasSuffix("\n[0]\n"), "\(out)")
    }
}
