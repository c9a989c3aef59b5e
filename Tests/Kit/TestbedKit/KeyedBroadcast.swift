import Glibc
import LANKit

/// A broadcast by host 0, whose broadcaster has a terminal and takes keys.
public final class KeyedBroadcast {
    public let process: LANProcess
    private let keyboard: Int32

    /// - Parameter words: what follows `tutti broadcast`.
    public init(_ words: [String], on testbed: Testbed) throws {
        let path = testbed.lan.path("keys")
        guard mkfifo(path, 0o600) == 0 else { throw LANError.system("mkfifo", errno) }
        // Also for reading, so that opening does not wait for the reader.
        keyboard = open(path, O_RDWR | O_CLOEXEC)
        guard keyboard >= 0 else { throw LANError.system("open", errno) }
        let command = ([testbed.program, "broadcast"] + words).map { "'\($0)'" }.joined(separator: " ")
        process = try testbed.lan[0].spawn(
            ["sh", "-c", "exec script -qefc \"$0\" /dev/null < \"$1\"", "exec \(command)", path],
            card: testbed.cards[0],
            environment: ["TERM": "xterm", "COLUMNS": "100", "LINES": "30"])
    }

    deinit { close(keyboard) }

    public func press(_ keys: String) { _ = keys.withCString { write(keyboard, $0, strlen($0)) } }
}
