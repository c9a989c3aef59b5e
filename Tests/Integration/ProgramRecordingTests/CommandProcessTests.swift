import Glibc
import StreamTestKit
import Testing

/// `tutti pause` and its like, as processes: by the local sockets of a broadcaster and of a listener, and by address.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CommandProcessTests {
    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// Runs lines while a broadcast of three songs is heard. `here` runs a command on the broadcaster's machine, and
    /// `there` on the listener's, as far as they can tell. What they print goes to `out`, each with its exit code.
    private static func whileHeard(_ lines: String, in directory: borrowing TemporaryDirectory) throws -> String {
        let (port, other) = (freePort(), freePort())
        for name in ["a", "b", "c"] {
            try Tool.run("sox -R -n -r 8000 -b 16 \(name).wav synth 20 sine 300", in: directory)
        }
        try TuttiProcess.run(
            """
            mkdir -p here there; chmod 700 here there
            here() { XDG_RUNTIME_DIR=$PWD/here tutti "$@" >> out 2>&1; echo "[$?]" >> out; }
            there() { XDG_RUNTIME_DIR=$PWD/there tutti "$@" >> out 2>&1; echo "[$?]" >> out; }
            until_status() { for i in $(seq 300); do XDG_RUNTIME_DIR=$PWD/here tutti status 2>&1 | grep -q "$1" && return
                sleep 0.05; done; echo "never: $1" >> out; }
            XDG_RUNTIME_DIR=$PWD/there tutti join --name Shelf --output file:heard.wav --no-mdns --port \(other) \
                > join.log 2>&1 &
            XDG_RUNTIME_DIR=$PWD/here tutti broadcast a.wav b.wav c.wav --idle --name Den --no-mdns --port \(port) \
                --listener 127.0.0.1:\(other) > broadcast.log 2>&1 & b=$!
            until_status 'Shelf .*playing'
            \(lines.replacing("PORT", with: "\(port)"))
            kill -INT $b; wait $b || true
            """, in: directory)
        return try text("out", in: directory)
    }

    @Test func aBroadcastIsCommandedFromItsOwnMachine() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileHeard(
            """
            here pause; until_status '^paused: a.wav'
            here resume; until_status '^playing: a.wav'
            here seek 0:05; here seek +1; here next; until_status '^playing: b.wav'
            here previous; until_status '^playing: a.wav'
            here queue play 3; until_status '^playing: c.wav'
            here seek 99; here queue remove 9; here volume Shelv 3
            here stop; here queue
            """, in: directory)
        #expect(
            out == """
                [0]
                [0]
                [0]
                [0]
                [0]
                [0]
                [0]
                that is past the end of the last song: the programme is over
                [0]
                tutti: Den: the queue has no such item
                [66]
                tutti: Den: no listener has this name: did you mean Shelf?
                [68]
                [0]
                no  song   length
                 1  a.wav    0:20
                 2  b.wav    0:20
                 3  c.wav    0:20
                [0]

                """)
    }

    @Test func aListenersMachineCommandsTheBroadcastThatItHears() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileHeard(
            """
            there pause; until_status '^paused'
            there volume Shelf 40; there volume +0; there volume 50; there role Shelf left; there offset Shelf -2000
            until_status 'Shelf .* 40 .* left .* -2000 us'; until_status 'group: 50'
            there queue add "$PWD/a.wav"; there queue add http://127.0.0.1:9/x.mp3
            there status --at Nowhere
            """, in: directory)
        #expect(out.hasPrefix("[0]\n[0]\n[0]\n[0]\n[0]\n[0]\n"), "\(out)")
        let refused = "tutti: Den: the broadcaster does not allow that\n[77]\n"
        #expect(out.contains(refused + refused), "\(out)")
        // Without mDNS nobody else can be found; with it nobody has that name.
        #expect(out.hasSuffix("[69]\n") || out.hasSuffix("[68]\n"), "\(out)")
        // What was set stays, for the next broadcast.
        #expect(try Self.text("join.log", in: directory).contains("volume 40 %, left"))
    }

    @Test func aBroadcastIsCommandedByItsAddress() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileHeard(
            """
            export XDG_RUNTIME_DIR=$PWD/nobody
            there() { tutti "$@" --at 127.0.0.1:PORT >> out 2>&1; echo "[$?]" >> out; }
            there pause; until_status '^paused: a.wav'; there queue move 1 3
            # The others are looked at before they play.
            for i in $(seq 300); do tutti queue --at 127.0.0.1:PORT | grep -q 'c.wav *0:20' && break; sleep 0.05; done
            there queue; there queue clear; there resume
            """, in: directory)
        #expect(
            out == """
                [0]
                [0]
                   no  song   length
                    1  b.wav    0:20
                    2  c.wav    0:20
                >   3  a.wav    0:20
                [0]
                [0]
                tutti: Den: the queue is empty
                [69]

                """)
    }

    @Test func aFollowerSeesEachChange() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileHeard(
            """
            XDG_RUNTIME_DIR=$PWD/there tutti status --watch --json > watch.log & w=$!
            while ! [ -s watch.log ]; do sleep 0.05; done
            here pause; here volume 70; here queue shuffle on
            for i in $(seq 200); do grep -q shuffle..true watch.log && break; sleep 0.05; done
            kill -INT $w; wait $w; echo "watch [$?]" >> out
            """, in: directory)
        #expect(out == "[0]\n[0]\n[0]\nwatch [0]\n")
        let lines = try Self.text("watch.log", in: directory).split(separator: "\n")
        #expect(lines.first?.contains(#""broadcaster":"Den""#) == true)
        // Something may have changed before anybody followed.
        let known = try #require(lines.first.flatMap { Self.sequence(of: $0) })
        let changes = lines.dropFirst()
        #expect(changes.map { Self.sequence(of: $0) } == changes.indices.map { known + $0 }, "\(lines)")
        for what in [
            #""command":{"who":"#, #""transport":"paused""#, #""volume":{"level":70,"muted":false}"#,
            #""modes":{"repeat":"off","shuffle":true}"#,
        ] {
            #expect(changes.contains { $0.contains(what) }, "\(what)")
        }
    }

    /// The number by which followers order what they are told.
    private static func sequence(of line: Substring) -> Int? {
        line.firstMatch(of: /"sequence":([0-9]+)/).flatMap { Int($0.output.1) }
    }

    /// What a guest sends is recorded as if it had been the broadcaster's own, sample for sample; through a listener's
    /// machine as well as by address.
    @Test func aGuestsSongIsSentAndHeard() throws {
        let directory = TemporaryDirectory()
        let port = freePort()
        try Tool.run("sox -R -n -r 44100 -b 16 -c 2 guest.wav synth 3 whitenoise", in: directory)
        try Tool.run("sox -R -n -r 44100 -b 16 -c 2 own.wav synth 8 sine 300", in: directory)
        try TuttiProcess.run(
            """
            mkdir -p there; chmod 700 there
            tutti broadcast own.wav --accept-songs --name Den --no-mdns --port \(port) > broadcast.log 2>&1 & b=$!
            XDG_RUNTIME_DIR=$PWD/there tutti record --host 127.0.0.1:\(port) --no-mdns --port \(freePort()) heard.wav \
                > record.log 2>&1 & r=$!
            for i in $(seq 200); do XDG_RUNTIME_DIR=$PWD/there tutti status > /dev/null 2>&1 && break; sleep 0.05; done
            XDG_RUNTIME_DIR=$PWD/there tutti queue add guest.wav >> out 2>&1; echo "[$?]" >> out
            XDG_RUNTIME_DIR=$PWD/nobody tutti queue add guest.wav --at 127.0.0.1:\(port) >> out 2>&1; echo "[$?]" >> out
            XDG_RUNTIME_DIR=$PWD/nobody tutti queue add missing.wav --at 127.0.0.1:\(port) >> out 2>&1
            echo "[$?]" >> out
            tutti queue >> out; tutti next; tutti next
            wait $b || exit 1; wait $r || exit 2
            """, in: directory)
        let out = try Self.text("out", in: directory)
        #expect(out.hasPrefix("[0]\n[0]\ntutti: ") && out.contains("\n[66]\n"), "\(out)")
        #expect(out.contains("2  guest.wav") && out.contains("3  guest.wav"), "\(out)")
        try Tool.run("sox heard.wav -t raw heard.raw; sox guest.wav -t raw guest.raw", in: directory)
        let heard = try Tool.readFile(directory.path + "/heard.raw")
        let guest = try Tool.readFile(directory.path + "/guest.raw")
        #expect(heard.suffix(guest.count) == guest[...])
    }

    /// On a network of its own, where 10.9.9.9 is another machine as far as addresses tell: what a stranger adds is
    /// fetched from there, and not from this machine, whether named or reached by a redirect.
    @Test func addedURLsDoNotLeadToTheBroadcastersOwnMachine() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -R -n -r 8000 -b 16 a.wav synth 5 sine 300", in: directory)
        try TuttiProcess.run(
            """
            cat > serve.py <<'EOF'
            import http.server, sys
            class Handler(http.server.SimpleHTTPRequestHandler):
                def do_GET(self):
                    print("asked", self.path, self.headers["Host"], file=open("asked", "a"))
                    if self.path.startswith("/to/"):
                        self.send_response(302)
                        self.send_header("Location", "http://" + self.path[4:] + ":8080/secret.wav")
                        self.end_headers()
                    else:
                        super().do_GET()
                def log_message(self, *words): pass
            http.server.HTTPServer(("", 8080), Handler).serve_forever()
            EOF
            cp a.wav good.wav; cp a.wav secret.wav
            cat > inside <<'EOF'
            ip link set lo up && ip address add 10.9.9.9/32 dev lo || exit 9
            python3 serve.py & trap 'kill $(jobs -p)' EXIT
            tutti broadcast --idle --accept-songs --now --name Den --no-mdns --port 9001 > broadcast.log 2>&1 &
            sleep 0.5
            export XDG_RUNTIME_DIR=$PWD/nobody
            for path in 127.0.0.1:8080/secret.wav localhost:8080/secret.wav 0.0.0.0:8080/secret.wav \
                10.9.9.9:8080/to/127.0.0.1 10.9.9.9:8080/to/localhost 10.9.9.9:8080/good.wav; do
                tutti queue add http://$path --at 127.0.0.1:9001 || exit 1
            done
            tutti resume --at 127.0.0.1:9001 > resumed 2>&1
            for i in $(seq 100); do tutti status --at 127.0.0.1:9001 | grep -q 'playing: http.*good' && break; sleep 0.05; done
            tutti queue --at 127.0.0.1:9001 --json > queue
            EOF
            unshare --net $([ $(id -u) = 0 ] || echo --map-root-user) bash inside || exit 1
            """, in: directory)
        let asked = try Self.text("asked", in: directory)
        #expect(!asked.contains("secret") && asked.contains("/good.wav 10.9.9.9:8080"), "\(asked)")
        let queue = try Self.text("queue", in: directory).split(separator: "\n")
        #expect(queue.count == 6 && queue.prefix(5).allSatisfy { $0.contains(#""failed":true"#) }, "\(queue)")
        #expect(queue.last?.contains(#""current":true"#) == true)
        #expect(try Self.text("broadcast.log", in: directory).contains("which is not allowed"))
    }

    @Test func withoutABroadcastTheErrorSaysWhatToDo() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            tutti pause --at 127.0.0.1:\(freePort()) > out 2>&1; echo "[$?]" >> out
            tutti seek 1:99 >> out 2>&1; echo "[$?]" >> out
            tutti volume 101 >> out 2>&1; echo "[$?]" >> out
            tutti queue addd x >> out 2>&1; echo "[$?]" >> out
            """, in: directory)
        let out = try Self.text("out", in: directory)
        #expect(out.contains("is `tutti broadcast` running there?\n[68]\n"), "\(out)")
        #expect(out.contains("TIME is written 90, 1:30 or 1:02:03"), "\(out)")
        #expect(out.contains("VOLUME is 0 to 100"), "\(out)")
        #expect(out.contains("did you mean 'add'?"), "\(out)")
    }
}
