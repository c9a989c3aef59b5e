import StreamTestKit
import Testing

/// A key that others may read, by real processes.
@Suite(.timeLimit(.minutes(5))) struct KeyFileProcessTests {
    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// Makes a key, lets others read it, runs lines, and then what the program said would mend it.
    private static func run(_ lines: String, in directory: borrowing TemporaryDirectory) throws {
        try Tool.run("sox -R -n -r 8000 -b 16 song.wav synth 0.2 sine 300", in: directory)
        try TuttiProcess.run(
            """
            tutti broadcast song.wav --now --no-mdns --port \(freePort()) > first.log 2>&1 || exit 1
            chmod 644 state/tutti/key
            \(lines)
            """, in: directory)
    }

    /// Sessions and commands alike; the line can be given to a shell as it stands.
    @Test(arguments: [
        "broadcast song.wav --now --no-mdns", "join --once --output null --no-mdns", "record --host 127.0.0.1 a.wav",
        "pause --at 127.0.0.1", "status --at 127.0.0.1", "check 127.0.0.1",
    ])
    func endsTheProgramWithWhatMendsIt(command: String) throws {
        let directory = TemporaryDirectory()
        try Self.run(
            """
            tutti \(command) > out 2> errors; echo $? > code
            sed 's/.*: chmod/chmod/' errors > remedy && bash remedy && stat -c %a state/tutti/key > mode
            tutti broadcast song.wav --now --no-mdns --port \(freePort()) > again.log 2>&1 || exit 2
            """, in: directory)
        let path = directory.path + "/state/tutti/key"
        #expect(
            try Self.text("errors", in: directory)
                == "tutti: \(path) holds a secret that others may read or write: chmod 600 '\(path)'\n")
        #expect(try Self.text("code", in: directory) == "77\n")
        #expect(try Self.text("out", in: directory) == "")
        #expect(try Self.text("mode", in: directory) == "600\n")
    }

    @Test func aProgramThatReadsJSONLearnsIt() throws {
        let directory = TemporaryDirectory()
        try Self.run("tutti join --once --output null --no-mdns --json > out 2> errors || true", in: directory)
        let end = try #require(try Self.text("out", in: directory).split(separator: "\n").last)
        #expect(end.contains("\"outcome\":\"failed\",\"exitCode\":77,\"message\":"), "\(end)")
        #expect(end.contains("chmod 600"), "\(end)")
    }

    /// Nobody sees a player, so it needs no key.
    @Test func aSongIsPlayedHereAllTheSame() throws {
        let directory = TemporaryDirectory()
        try Self.run("tutti play song.wav --output null > out 2> errors; echo $? > code", in: directory)
        let errors = try Self.text("errors", in: directory)
        #expect(try Self.text("code", in: directory) == "0\n", "\(errors)")
    }
}
