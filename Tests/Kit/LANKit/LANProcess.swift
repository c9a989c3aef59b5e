import AudioCore
import Glibc
import StreamTestKit

/// How a process ended.
public enum ExitStatus: Equatable, Sendable {
    case exited(Int32)
    case signaled(Int32)
}

/// A process on a host: what it says, and how it ends. Its output lies in files, so nothing is lost of one that died.
public final class LANProcess {
    /// As seen from this test: signals may be sent to it.
    public let pid: pid_t
    public let command: [String]
    /// The files into which it writes.
    public let outputPath: String
    public let errorPath: String
    /// The process that entered the host and waits there for the other.
    private let launcher: pid_t
    private var status: ExitStatus?

    init(command: [String], environment: [String: String], descriptors: [Int32: Int32], log: String) throws {
        self.command = command
        outputPath = log + ".out"
        errorPath = log + ".err"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let (input, output, error) = (
            open("/dev/null", O_RDONLY | O_CLOEXEC), open(outputPath, flags, 0o644), open(errorPath, flags, 0o644)
        )
        defer { for file in [input, output, error] where file >= 0 { close(file) } }
        guard input >= 0, output >= 0, error >= 0 else { throw LANError.system("open", errno) }
        let answer = try makeChannel()
        defer { close(answer.reading) }
        do {
            defer { close(answer.writing) }
            launcher = try spawnProcess(
                command, environment: environment,
                descriptors: [input: 0, output: 1, error: 2, answer.writing: 3].merging(descriptors) { $1 })
        }
        guard let found = readNumber(from: answer.reading) else {
            waitpid(launcher, nil, 0)
            throw LANError.commandFailed(command.joined(separator: " ") + ": " + readText(errorPath))
        }
        pid = found
    }

    deinit {
        guard status == nil else { return }
        kill(pid, SIGKILL)
        waitpid(launcher, nil, 0)
    }

    public var output: String { readText(outputPath) }
    public var errors: String { readText(errorPath) }
    /// The whole lines of its standard output so far.
    public var lines: [String] { readText(outputPath).split(separator: "\n").map(String.init) }

    public func signal(_ number: Int32) {
        guard status == nil else { return }
        kill(pid, number)
    }

    public var isRunning: Bool {
        poll()
        return status == nil
    }

    /// Waits for its end.
    /// - Throws: ``LANError/timedOut(_:)`` after `seconds`; the process then goes on.
    @discardableResult
    public func wait(within seconds: Double) throws -> ExitStatus {
        try waitUntil("the end of \(name)", within: seconds) {
            poll()
            return status != nil
        }
        return status!
    }

    /// Waits for a line of standard output or standard error that contains this text, and returns it.
    @discardableResult
    public func waitForLine(containing text: String, within seconds: Double) throws -> String {
        var found: String?
        try waitUntil("\"\(text)\" from \(name)", within: seconds) {
            poll()
            let all = readText(outputPath) + "\n" + readText(errorPath)
            found = all.split(separator: "\n").first { contains($0, text) }.map(String.init)
            // One that ended will say nothing more.
            return found != nil || status != nil
        }
        guard let found else { throw LANError.timedOut("\"\(text)\": \(name) ended without it. \(errors)") }
        return found
    }

    func waitForFile(_ path: String, within seconds: Double) throws {
        try waitUntil("\(path) of \(name)", within: seconds) {
            poll()
            return access(path, F_OK) == 0 || status != nil
        }
        guard access(path, F_OK) == 0 else { throw LANError.commandFailed("\(name): \(errors)") }
    }

    private var name: String {
        command.drop { $0.hasSuffix("lan-host") || $0 == "run" }.dropFirst(2).joined(separator: " ")
    }

    private func poll() {
        guard status == nil else { return }
        var raw: Int32 = 0
        guard waitpid(launcher, &raw, WNOHANG) == launcher else { return }
        let signal = raw & 0x7F
        status = signal == 0 ? .exited((raw >> 8) & 0xFF) : .signaled(signal)
    }
}

/// Looks again and again until the condition holds.
/// - Throws: ``LANError/timedOut(_:)``; what the condition throws.
public func waitUntil(_ what: String, within seconds: Double, _ condition: () throws -> Bool) throws {
    let isSo = try StreamTestKit.waitUntil(within: TimeSpan(seconds: seconds), condition)
    guard isSo else { throw LANError.timedOut(what) }
}

private func contains(_ line: Substring, _ text: String) -> Bool {
    let (line, text) = (Array(line.utf8), Array(text.utf8))
    guard line.count >= text.count else { return false }
    return (0...line.count - text.count).contains { line[$0..<$0 + text.count].elementsEqual(text) }
}
