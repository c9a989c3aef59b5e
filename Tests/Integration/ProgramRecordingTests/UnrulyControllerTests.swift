import StreamTestKit
import Testing

/// Controllers that do what they should not, as processes beside a broadcast that is recorded.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UnrulyControllerTests {
    /// Runs lines while a song of 9 s is broadcast and recorded. `$b` is the broadcaster, `PORT` its port. What they
    /// write to `out` is returned, with an error if the recording is not the song, sample for sample.
    ///
    /// A frame of the recording is that frame of the song, whoever paused it and however often.
    private static func whileRecorded(_ lines: String, in directory: borrowing TemporaryDirectory) throws -> String {
        let port = freePort()
        try Tool.run("sox -R -n -r 44100 -b 16 -c 2 song.wav synth 9 whitenoise", in: directory)
        try TuttiProcess.run(
            """
            tutti broadcast song.wav --accept-songs --name Den --no-mdns --port \(port) > broadcast.log 2>&1 & b=$!
            XDG_RUNTIME_DIR=$PWD/nobody tutti record --host 127.0.0.1:\(port) --no-mdns --port \(freePort()) heard.wav \
                > record.log 2>&1 & r=$!
            await() { for i in $(seq 200); do eval "$1" > /dev/null 2>&1 && return; sleep 0.05; done; echo "never: $1" >> out; }
            await 'tutti status | grep "^playing: song.wav"'
            \(lines.replacing("PORT", with: "\(port)"))
            wait $b; echo "broadcast [$?]" >> out; wait $r; echo "record [$?]" >> out
            sox song.wav -t raw song.raw; sox heard.wav -t raw heard.raw
            cmp song.raw heard.raw >> out 2>&1
            true
            """, in: directory)
        return String(decoding: try Tool.readFile("\(directory.path)/out"), as: UTF8.self)
    }

    /// Nearly all of ten thousand commands a second are refused, whether they would do something or not; another
    /// controller's are done meanwhile.
    @Test(arguments: ["volume", "remove"]) func aFloodOfCommandsIsRefused(kind: String) throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileRecorded(
            """
            flooding-controller PORT 4 10000 \(kind) > flood & f=$!
            sleep 1
            tutti pause --at 127.0.0.1:PORT >> out 2>&1; echo "pause [$?]" >> out
            await 'tutti status | grep "^paused: song.wav"'
            tutti resume --at 127.0.0.1:PORT >> out 2>&1; echo "resume [$?]" >> out
            wait $f; echo "flood [$?]" >> out
            """, in: directory)
        #expect(out == "pause [0]\nresume [0]\nflood [0]\nbroadcast [0]\nrecord [0]\n")
        let flood = try Flood(String(decoding: try Tool.readFile("\(directory.path)/flood"), as: UTF8.self))
        #expect(flood.sent > 20_000 && flood.done + flood.refused + flood.excess == flood.sent, "\(flood)")
        // 50 a second, and a burst.
        #expect((100...600).contains(flood.done + flood.refused), "\(flood)")
        #expect(kind == "volume" ? flood.refused == 0 : flood.done == 0, "\(flood)")
    }

    @Test func twoThatContradictEachOtherTakeTurns() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileRecorded(
            """
            flooding-controller PORT 3 30 pause > one & f=$!
            flooding-controller PORT 3 30 resume > other & g=$!
            wait $f; echo "one [$?]" >> out; wait $g; echo "other [$?]" >> out
            tutti resume >> out 2>&1; echo "resume [$?]" >> out
            """, in: directory)
        #expect(out == "one [0]\nother [0]\nresume [0]\nbroadcast [0]\nrecord [0]\n")
        for name in ["one", "other"] {
            let flood = try Flood(String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self))
            #expect(flood.done == flood.sent && flood.sent > 60, "\(flood)")
        }
    }

    /// What came of a song whose sender is gone is not queued, and its room is free again.
    @Test func aSenderThatVanishesLeavesNothing() throws {
        let directory = TemporaryDirectory()
        let out = try Self.whileRecorded(
            """
            sox -R -n -r 44100 -b 16 -c 2 big.wav synth 1 whitenoise; truncate -s 900M big.wav
            spool() { ls -l /proc/$b/fd | grep -c '/tutti-.*deleted'; }
            XDG_RUNTIME_DIR=$PWD/nobody tutti queue add big.wav --at 127.0.0.1:PORT > add.log 2>&1 & a=$!
            await '[ $(spool) = 1 ]'
            kill -STOP $a; spool >> out; kill -KILL $a
            await '[ $(spool) = 0 ]'
            tutti queue >> out
            """, in: directory)
        #expect(
            out == """
                1
                   no  song      length
                >   1  song.wav    0:09
                broadcast [0]
                record [0]

                """)
    }
}

/// What `flooding-controller` prints.
private struct Flood {
    let sent: Int
    let done: Int
    let refused: Int
    let excess: Int

    init(_ line: String) throws {
        let words = line.split(whereSeparator: \.isWhitespace)
        let numbers = words.compactMap { Int($0) }
        try #require(words.count == 8 && numbers.count == 4, "\(line)")
        (sent, done, refused, excess) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }
}
