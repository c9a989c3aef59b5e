import Glibc

/// A program that could not be run, or did not end well.
struct CommandFailure: Error, CustomStringConvertible {
    var command: String
    var status: Int32
    var description: String { "'\(command)' ended with status \(status)" }
}

/// Runs a command of the shell and gives what it printed.
func output(of command: String) throws -> [UInt8] {
    guard let pipe = popen(command, "r") else { throw CommandFailure(command: command, status: errno) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 256 * 1024)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
    let status = pclose(pipe)
    guard status == 0 else { throw CommandFailure(command: command, status: status) }
    return bytes
}

/// Text as one word for the shell.
func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

func contents(of path: String) throws -> [UInt8] { try output(of: "cat \(quoted(path))") }
