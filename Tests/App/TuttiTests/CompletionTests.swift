import Glibc
import StreamTestKit
import Testing

@testable import tutti

/// Completions, tried by the shells themselves: a line is typed with tabs, and a program of this name says what it was
/// called with. It knows three peers, two sound devices and a playlist.
@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    /// What is typed, and the words that come of it. A tab completes.
    private static let lines: [(typed: String, words: [String])] = [
        ("tutti jo\t --dev\t hw:0", ["join", "--device", "hw:0"]),
        ("tutti --vers\t", ["--version"]),
        ("tutti help jo\t", ["help", "join"]),
        // Values of a closed list; also behind =, behind others' values, and with the name of another command.
        ("tutti guests --role li\t", ["guests", "--role", "listen"]),
        ("tutti broadcast --loudness=tr\t", ["broadcast", "--loudness=track"]),
        ("tutti join --name join --rol\t le\t", ["join", "--name", "join", "--role", "left"]),
        ("tutti join --codecs mp3,al\t", ["join", "--codecs", "mp3,alac"]),
        ("tutti join -q --verb\t", ["join", "-q", "--verbose"]),
        // Arguments by their places.
        ("tutti role x st\t", ["role", "x", "stereo"]),
        ("tutti queue shuf\t of\t", ["queue", "shuffle", "off"]),
        ("tutti queue play 3", ["queue", "play", "3"]),
        ("tutti queue add my\t", ["queue", "add", "my song.mp3"]),
        ("tutti decode my\t ot\t", ["decode", "my song.mp3", "other.wav"]),
        ("tutti library add fol\t", ["library", "add", "folder/"]),
        ("tutti join --output file:ot\t", ["join", "--output", "file:other.wav"]),
        ("tutti join --household=ot\t", ["join", "--household=other.wav"]),
        // Names that this machine keeps.
        ("tutti status --at Liv\t", ["status", "--at", "Living Room"]),
        ("tutti broadcast --to Kitchen,Ann\t", ["broadcast", "--to", "Kitchen,Anna's"]),
        ("tutti join --device hw:CARD=P\t", ["join", "--device", "hw:CARD=PCH,DEV=0"]),
        ("tutti join --device=hw:CARD=P\t", ["join", "--device=hw:CARD=PCH,DEV=0"]),
        ("tutti household remove K\t", ["household", "remove", "Kitchen"]),
        ("tutti playlist show pa\t", ["playlist", "show", "party"]),
        // Nothing fits.
        ("tutti join --role zz\t", ["join", "--role", "zz"]),
        ("tutti unknown --de\t", ["unknown", "--de"]),
    ]

    private static let standIn = """
        #!/bin/sh
        if [ "$1 $2" = "help --names" ]; then
            case $3 in
            peers) printf '%s\\n' Kitchen 'Living Room' "Anna's" ;;
            playback-devices) printf '%s\\n' hw:CARD=Loop,DEV=0 hw:CARD=PCH,DEV=0 ;;
            playlists) echo party ;;
            esac
            exit
        fi
        for word; do printf '<%s>' "$word"; done >> "$OUT"
        echo >> "$OUT"
        """

    private func write(_ text: String, to name: String, in directory: borrowing StreamTestKit.TemporaryDirectory) throws
    {
        try Tool.writeFile("\(directory.path)/\(name)", Array(text.utf8))
    }

    /// A directory with the stand-in, songs and a shell's script.
    private func place(for shell: String, script: String) throws -> StreamTestKit.TemporaryDirectory {
        let directory = StreamTestKit.TemporaryDirectory()
        for name in ["bin", "home", "functions", "work", "work/folder"] { mkdir("\(directory.path)/\(name)", 0o755) }
        try write(Self.standIn, to: "bin/tutti", in: directory)
        chmod(directory.path + "/bin/tutti", 0o755)
        for name in ["my song.mp3", "other.wav"] { try write("", to: "work/" + name, in: directory) }
        try write(#require(Manual.completion(for: shell)), to: script, in: directory)
        return directory
    }

    /// Types the lines, and compares what the stand-in was called with.
    /// - Parameters:
    ///   - command: starts the shell, which reads what is typed.
    ///   - quirks: for what is typed, what this shell makes of it.
    private func type(
        _ command: String, quirks: [String: String], in directory: borrowing StreamTestKit.TemporaryDirectory
    ) throws {
        let typed = Self.lines.map { $0.typed + "\n" }.joined() + "exit\n"
        try write(typed, to: "typed", in: directory)
        try Tool.run(
            """
            export OUT=$PWD/out HOME=$PWD/home TERM=vt100 LC_ALL=C.UTF-8 PATH=$PWD/bin:$PATH SCRIPT=$PWD
            cd work
            timeout --kill-after=5 60 \(command) < ../typed > ../screen 2>&1
            test -e "$OUT" || { cat ../screen; exit 1; }
            """, in: directory)
        let out = String(decoding: try Tool.readFile(directory.path + "/out"), as: UTF8.self).split(separator: "\n")
        #expect(out.count == Self.lines.count)
        for ((typed, words), said) in zip(Self.lines, out) {
            let expected = quirks[typed] ?? words.map { "<\($0)>" }.joined()
            #expect(said == expected, "\(typed)")
        }
    }

    @Test func bashCompletes() throws {
        let directory = try place(for: "bash", script: "tutti.bash")
        try write(". \"$SCRIPT/tutti.bash\"; set +o history; PS1=", to: "rc", in: directory)
        try type("bash --noprofile --rcfile ../rc -i", quirks: [:], in: directory)
    }

    @Test func zshCompletes() throws {
        let directory = try place(for: "zsh", script: "functions/_tutti")
        try write(
            "fpath=($SCRIPT/functions $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt beep\n",
            to: "home/.zshrc", in: directory)
        // It completes on terminals alone. A directory's slash goes when the line ends.
        try type(
            "script -qec 'zsh -i' /dev/null",
            quirks: ["tutti library add fol\t": "<library><add><folder>"], in: directory)
    }

    @Test func fishCompletes() throws {
        let directory = try place(for: "fish", script: "tutti.fish")
        // It is asked what it would offer: for the last word of each line up to the first tab.
        let questions = Self.lines.map { line in
            "echo '# '; complete -C '\(line.typed.prefix { $0 != "\t" })' | string replace -r '\\t.*' ''"
        }
        let script = ["source $SCRIPT/tutti.fish"] + questions + ["true"]
        try write(script.joined(separator: "\n"), to: "questions", in: directory)
        try Tool.run(
            """
            export OUT=$PWD/out HOME=$PWD/home TERM=vt100 LC_ALL=C.UTF-8 PATH=$PWD/bin:$PATH SCRIPT=$PWD
            cd work && timeout 60 fish --no-config ../questions > ../answers
            """, in: directory)
        let text = String(decoding: try Tool.readFile(directory.path + "/answers"), as: UTF8.self)
        let answers = text.split(separator: "# \n", omittingEmptySubsequences: false).dropFirst()
        #expect(answers.count == Self.lines.count)
        for ((typed, words), answer) in zip(Self.lines, answers) {
            guard let tab = typed.firstIndex(of: "\t") else { continue }
            let offers = answer.split(separator: "\n").map(String.init)
            // The word that is completed: the one behind as many as were typed.
            let number = typed[..<tab].split(separator: " ").count - 2
            #expect(offers == (typed.contains("zz") || typed.contains("unknown") ? [] : [words[number]]), "\(typed)")
        }
    }

    @Test func thereAreThreeShells() {
        #expect(Manual.completion(for: "tcsh") == nil && Manual.completion(for: nil) == nil)
    }

    @Test func everyClosedListIsOfferedAsTheHelpNamesIt() {
        for command in Tutti.commands.map({ $0.syntax }) {
            for option in command.options {
                guard let value = option.value, value.contains("|"), value.first?.isUppercase == false else { continue }
                let words = value.split(separator: "|").map(String.init)
                #expect(option.candidates == .choices(words) || option.candidates == .output, "\(option.name)")
            }
        }
    }

    @Test func offeredChoicesAreTaken() throws {
        for role in ["stereo", "left", "right", "mono"] {
            _ = try JoinCommand(CommandArguments(["--role", role], syntax: JoinCommand.syntax))
        }
        for who in ["anyone", "members", "nobody"] {
            _ = try JoinCommand(CommandArguments(["--allow-broadcast", who], syntax: JoinCommand.syntax))
        }
        for codec in CodecNames.all {
            _ = try JoinCommand(CommandArguments(["--codecs", codec], syntax: JoinCommand.syntax))
        }
    }
}
