import Glibc
import StreamTestKit

/// The program that was built beside these tests, run by a shell: what users run.
enum TuttiProcess {
    /// Runs lines of Bash in a directory, in which `tutti` is the program, as are the examples and
    /// `flooding-controller`. Its state stays there, and nothing that was started outlives the lines, or a minute.
    static func run(_ script: String, in directory: borrowing TemporaryDirectory) throws {
        // Of jobs in the background a shell takes the interrupt away; this gives it back, in the same process.
        let head = """
            export PATH="$PWD/bin:$PATH" XDG_STATE_HOME="$PWD/state" XDG_RUNTIME_DIR="$PWD" LC_ALL=C
            trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
            exec 9> trace; BASH_XTRACEFD=9 PS4='+$SECONDS s: '; set -x
            mkdir -p bin
            for program in tutti example-embed example-play example-record flooding-controller; do
                printf '#!/bin/sh\\nexec env --default-signal=INT "%s" "$@"\\n' "\(executableDirectory)/$program" \
                    > bin/$program
                chmod +x bin/$program
            done

            """
        try Tool.writeFile(directory.path + "/script", Array((head + script + "\n").utf8))
        // Threads of a pool hold back signals, and what they start would, too.
        var none = sigset_t()
        var old = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        // Where it fails, the last lines that it ran and what was printed tell why.
        let tell = "tail --quiet -n 5 trace; tail -n 8 out *.log"
        try Tool.run(
            "timeout --kill-after=5 60 bash script || { status=$?; \(tell) 2>&1; exit $status; }", in: directory)
    }

    /// Where the program lies.
    static var executableDirectory: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
