import Glibc
import StreamTestKit
import Testing

/// Broadcasts on the loopback interface, recorded by real processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BroadcastRecordingTests {
    private static func makeSong(_ name: String, seconds: Double, in directory: borrowing TemporaryDirectory) throws {
        let synthesis =
            "sox -R -r 44100 -n -b 24 s.wav synth \(seconds) sine 220 sine 331 sine 100-9000 whitenoise "
            + "remix 1,3,4v0.3 2,3,4v0.3 tremolo 3 80 gain -6"
        let conversion =
            switch name {
            case "song.mp3": "sox -R s.wav -b 16 t.wav && lame --quiet -b 128 t.wav song.mp3"
            case "song.flac": "flac -s -f -o song.flac s.wav"
            default: "mv s.wav song.wav"
            }
        try Tool.run("\(synthesis) && \(conversion)", in: directory)
    }

    /// The samples of a file as its readers see them, whatever its kind and header.
    private static func samples(
        _ name: String, isWhole: Bool = true, in directory: borrowing TemporaryDirectory
    ) throws -> [UInt8] {
        try Tool.run("ffmpeg -v error \(isWhole ? "-xerror" : "") -y -i \(name) -f s32le \(name).raw", in: directory)
        return try Tool.readFile("\(directory.path)/\(name).raw")
    }

    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    private struct Ports {
        let broadcaster = freePort()
        func broadcast(_ arguments: String) -> String {
            "tutti broadcast \(arguments) --no-mdns --port \(broadcaster) > broadcast.log 2>&1"
        }
        func record(_ arguments: String) -> String {
            "tutti record --host 127.0.0.1:\(broadcaster) --no-mdns --port \(freePort()) \(arguments)"
        }
    }

    /// Also: each recorder is a listener by name, and at no distance from the other.
    @Test(arguments: ["song.wav", "song.flac", "song.mp3"])
    func aRecordingIsTheSongSampleForSample(song: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeSong(song, seconds: 2.5, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.record("a.wav --name one")) > a.log 2>&1 & a=$!
            \(ports.record("b.caf")) > b.log 2>&1 & b=$!
            \(ports.record("c.aiff")) > c.log 2>&1 & c=$!
            \(ports.broadcast("\(song) --wait 3 --json")) || exit 1
            wait $a || exit 2; wait $b || exit 3; wait $c || exit 4
            tutti decode \(song) reference.wav
            """, in: directory)
        let reference = try Self.samples("reference.wav", in: directory)
        #expect(reference.count == 110_250 * 8)
        for name in ["a.wav", "b.caf", "c.aiff"] {
            #expect(try Self.samples(name, in: directory) == reference, "\(name)")
        }
        #expect(try Self.text("a.log", in: directory).contains("recorded 2.5 s (110250 frames) into 'a.wav'\n"))
        let told = try Self.text("broadcast.log", in: directory)
        #expect(told.contains("\"one joined\"") && told.contains(" (recording) joined\""))
        #expect(told.contains("\"worstPair\":null") && !told.contains("\"first\""))
    }

    /// Frame n of the recording is frame first + n of the song, to the sample, from wherever it was joined.
    @Test(arguments: ["song.wav", "song.mp3"])
    func aSongJoinedInTheMiddleIsTheRestOfTheSong(song: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeSong(song, seconds: 5, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.broadcast("\(song) --now")) & b=$!
            until grep -q playing broadcast.log; do sleep 0.05; done
            sleep 2
            \(ports.record("late.wav --format float")) > late.log 2>&1 || exit 1
            wait $b || exit 2
            tutti decode --float \(song) reference.wav
            """, in: directory)
        let late = try Self.samples("late.wav", in: directory)
        let reference = try Self.samples("reference.wav", in: directory)
        let log = try Self.text("late.log", in: directory)
        let first = try #require(log.split(separator: "from frame ").dropFirst().last?.prefix { $0.isNumber })
        let frame = try #require(Int(first))
        #expect(frame > 44_100 && late.count == reference.count - frame * 8)
        #expect(late == Array(reference[(frame * 8)...]))
    }

    @Test func soManySecondsAreRecordedAndNoMore() throws {
        let directory = TemporaryDirectory()
        try Self.makeSong("song.wav", seconds: 3, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.record("a.wav --seconds 1.25 --format 16")) > a.log 2>&1 & a=$!
            \(ports.broadcast("song.wav")) & b=$!
            wait $a || exit 1
            kill -INT $b; wait $b
            tutti decode song.wav reference.wav
            sox -D reference.wav -b 16 r16.wav
            """, in: directory)
        let samples = try Self.samples("a.wav", in: directory)
        #expect(samples.count == 55_125 * 8)
        try Tool.run("test $(soxi -b a.wav) = 16", in: directory)
        // The reference's upper halves, rounded.
        let reference = try Self.samples("r16.wav", in: directory)
        let worst = stride(from: 0, to: samples.count, by: 4).map { place in
            func value(_ bytes: [UInt8]) -> Int {
                Int(Int16(bitPattern: UInt16(bytes[place + 2]) | UInt16(bytes[place + 3]) << 8))
            }
            return abs(value(samples) - value(reference))
        }.max()
        #expect(try #require(worst) <= 1)
    }

    /// Each song is a broadcast of its own.
    @Test func theNextSongIsAppended() throws {
        let directory = TemporaryDirectory()
        try Self.makeSong("song.mp3", seconds: 1, in: directory)
        try Tool.run("sox -R -r 44100 -n -b 16 other.wav synth 1 sine 440 remix 1 1", in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.record("--follow --seconds 2 --format float a.wav")) > a.log 2>&1 & a=$!
            \(ports.broadcast("song.mp3 other.wav")) & b=$!
            wait $a || exit 1
            tutti decode --float song.mp3 first.wav && tutti decode --float other.wav second.wav
            """, in: directory)
        let both = try Self.samples("first.wav", in: directory) + Self.samples("second.wav", in: directory)
        #expect(both.count == 88_200 * 8)
        #expect(try Self.samples("a.wav", in: directory) == both)
        #expect(try Self.text("a.log", in: directory).contains("recorded 2.0 s (88200 frames) into 'a.wav'\n"))
    }

    @Test func aRecordingThatIsKilledIsThere() throws {
        let directory = TemporaryDirectory()
        try Self.makeSong("song.wav", seconds: 12, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.record("killed.wav")) > /dev/null 2>&1 & wav=$!
            \(ports.record("killed.aiff")) > /dev/null 2>&1 & aiff=$!
            \(ports.record("killed.caf")) > /dev/null 2>&1 & caf=$!
            \(ports.broadcast("song.wav --wait 3")) & b=$!
            until [ "$(stat -c %s killed.caf 2> /dev/null || echo 0)" -ge 600000 ]; do sleep 0.1; done
            kill -KILL $wav $aiff $caf
            kill -INT $b; wait $b
            tutti decode song.wav reference.wav
            """, in: directory)
        let reference = try Self.samples("reference.wav", in: directory)
        for name in ["killed.wav", "killed.aiff", "killed.caf"] {
            // A part of a frame may stand at CAF's end, whose header says that it is all.
            let samples = try Self.samples(name, isWhole: name != "killed.caf", in: directory)
            #expect(samples.count > 44_100 * 8 && reference.starts(with: samples), "\(name)")
        }
    }

    @Test func ctrlCLeavesAWholeFile() throws {
        let directory = TemporaryDirectory()
        try Self.makeSong("song.wav", seconds: 20, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.record("a.wav")) > a.log 2>&1 & a=$!
            \(ports.broadcast("song.wav")) & b=$!
            until grep -q "  recording" a.log; do sleep 0.1; done
            sleep 1
            kill -INT $a; wait $a || exit 1
            kill -INT $b; wait $b
            grep -q "left" broadcast.log || exit 2
            tutti decode song.wav reference.wav
            """, in: directory)
        let samples = try Self.samples("a.wav", in: directory)
        #expect(samples.count > 44_100 * 8)
        #expect(try Self.samples("reference.wav", in: directory).starts(with: samples))
    }

    /// On a file system of its own, and where the user's limits end it.
    @Test(arguments: [
        ("mount -t tmpfs -o size=700k none full", "No space left on device"), ("ulimit -f 700", "File too large"),
    ])
    func whatWasRecordedOnAFullDiskIsKept(fullness: String, reason: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeSong("song.wav", seconds: 12, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            mkdir full
            \(ports.broadcast("song.wav")) & b=$!
            unshare --mount \(geteuid() == 0 ? "" : "--map-root-user") bash -c '\(fullness) || exit 1
                \(ports.record("full/a.wav")) > a.log 2> errors.log
                test $? = 73 || exit 2
                cp full/a.wav kept.wav' || exit 1
            kill -INT $b; wait $b
            tutti decode song.wav reference.wav
            """, in: directory)
        // A recorder that was there before the broadcaster has said so.
        let lines = try Self.text("errors.log", in: directory).split(separator: "\n")
        #expect(lines.last == "tutti: writing 'full/a.wav' failed: \(reason)")
        #expect(lines.count == 1 || lines.count == 2 && lines[0].contains("no broadcaster answers"))
        let samples = try Self.samples("kept.wav", in: directory)
        let reference = try Self.samples("reference.wav", in: directory)
        #expect(samples.count > 2 * 44_100 * 4 && reference.starts(with: samples))
        let frames = samples.count / 8
        #expect(try Self.text("a.log", in: directory).contains("(\(frames) frames) into 'full/a.wav'\n"))
    }

    /// One clear line each, nothing made and nothing lost.
    @Test func whatCannotBeRecordedIsSaid() throws {
        let directory = TemporaryDirectory()
        let cases = [
            (64, "", "OUT.wav is missing: tutti record OUT.wav"),
            (64, "--from Attic a.wav b.wav", "only one OUT.wav can be given, not also 'b.wav'"),
            (64, "--from Attic ''", "the file's name is empty"),
            (64, "--from '' a.wav", "--from: a name is empty"),
            (64, "--host a:99999 a.wav", "--host: 'a:99999' is no address; write HOST, HOST:PORT, or [IPV6]:PORT"),
            (64, "--from Attic --seconds 0 a.wav", "--seconds takes seconds from 0.001 to 31536000.0, not '0'"),
            (64, "--from Attic --seconds x a.wav", "--seconds takes seconds from 0.001 to 31536000.0, not 'x'"),
            (64, "--from Attic --format 8 a.wav", "--format takes 16, 24, 32 or float, not '8'"),
            (
                73, "--from Attic a.mp3",
                "'a.mp3' must end with .wav, .aiff, .aifc or .caf: the ending says what is written"
            ),
            (73, "--from Attic a", "'a' must end with .wav, .aiff, .aifc or .caf: the ending says what is written"),
            (73, "--from Attic old.wav", "'old.wav' exists; --force replaces it"),
            (73, "--from Attic --force d.wav", "'d.wav' is no plain file; a recording needs one"),
            (73, "--from Attic f.wav", "'f.wav' is no plain file; a recording needs one"),
            (73, "--from Attic no/a.wav", "cannot create 'no/a.wav': there is no directory 'no'"),
            (73, "--from Attic old.wav/a.wav", "cannot create 'old.wav/a.wav': Not a directory"),
            (73, "--from Attic /sys/a.wav", "cannot create '/sys/a.wav': Permission denied"),
        ]
        try TuttiProcess.run("mkdir d.wav && mkfifo f.wav && printf old > old.wav", in: directory)
        for (code, arguments, message) in cases {
            try TuttiProcess.run(
                "timeout 10 tutti record --no-mdns \(arguments) > out.log 2> err.log; test $? = \(code)", in: directory)
            let line = try Self.text("err.log", in: directory)
            let prefix = code == 64 ? "tutti record: " : "tutti: "
            let suffix = code == 64 ? " (see 'tutti record --help')" : ""
            #expect(line == prefix + message + suffix + "\n")
        }
        try TuttiProcess.run("test $(cat old.wav) = old && test ! -e a.wav && test ! -e a.mp3", in: directory)
    }

    /// Nobody is there, then Ctrl-C: no file, and a file that was to be replaced is as it was.
    @Test func nothingIsLeftOfARecordingOfNothing() throws {
        let directory = TemporaryDirectory()
        let ports = Ports()
        try TuttiProcess.run(
            """
            printf old > old.wav
            \(ports.record("a.wav")) > a.log 2>&1 & a=$!
            \(ports.record("--force old.wav")) > b.log 2>&1 & b=$!
            until test -e a.wav && grep -q "no broadcaster answers" b.log; do sleep 0.05; done
            \(ports.record("--force a.wav")) 2> err.log
            test $? = 73 || exit 1
            kill -INT $a $b
            wait $a; test $? = 130 || exit 2
            wait $b; test $? = 130 || exit 3
            test ! -e a.wav || exit 4
            test $(cat old.wav) = old
            """, in: directory)
        let line = try Self.text("err.log", in: directory)
        #expect(line == "tutti: 'a.wav' is being written by another process\n")
    }
}
