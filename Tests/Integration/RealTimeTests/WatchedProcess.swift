import Glibc
import LANKit

/// A program that runs under ThreadWatch, in a directory of its own that goes away with it.
final class WatchedProcess {
    var directory: String { place.path }
    private let place: TemporaryDirectory
    private var pid: pid_t = 0
    private var status: Int32?

    init() throws { place = try TemporaryDirectory(kind: "watch") }

    deinit {
        if pid > 0, status == nil {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
    }

    /// Runs it to its end.
    /// - Returns: its exit code, or the negative signal that ended it.
    /// - Throws: when it takes longer than `seconds`.
    func run(_ command: [String], environment: [String: String] = [:], within seconds: Double) async throws -> Int32? {
        try start(command, environment: environment)
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds)
        var raw: Int32 = 0
        while waitpid(pid, &raw, WNOHANG) != pid {
            guard clock.now < deadline else { throw LANError.timedOut("the end of \(command[0])") }
            // Asleep, not blocked: tests that run at the same time share few threads.
            try await clock.sleep(for: .milliseconds(20))
        }
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
        return status
    }

    var output: String { readText(directory + "/output") }
    var report: WatchReport { WatchReport(readText(directory + "/report")) }

    /// Numbers that the program printed as `name number`.
    func printed(_ name: String) -> Int {
        for line in output.split(separator: "\n") where line.hasPrefix(name + " ") {
            return Int(line.dropFirst(name.utf8.count + 1)) ?? 0
        }
        return 0
    }

    /// The last number of this name in JSON that the program printed.
    func lastValue(of name: String) -> Int? {
        let key = "\"\(name)\":"
        let fields = output.split(whereSeparator: { $0 == "," || $0 == "\n" || $0 == "}" })
        return fields.last { $0.hasPrefix(key) }.flatMap { Int($0.dropFirst(key.utf8.count)) }
    }

    private func start(_ command: [String], environment: [String: String]) throws {
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let output = open(directory + "/output", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        defer { for file in [input, output] where file >= 0 { close(file) } }
        guard input >= 0, output >= 0 else { throw LANError.system("open", errno) }
        var variables = ["HOME": directory, "XDG_STATE_HOME": directory + "/state", "PATH": "/usr/bin:/bin"]
        variables["LD_PRELOAD"] = buildDirectory + "/libThreadWatch.so"
        variables["TUTTI_WATCH_REPORT"] = directory + "/report"
        variables.merge(environment) { $1 }
        let errors = fcntl(output, F_DUPFD_CLOEXEC, 0)
        defer { close(errors) }
        pid = try spawnProcess(command, environment: variables, descriptors: [input: 0, output: 1, errors: 2])
    }
}
