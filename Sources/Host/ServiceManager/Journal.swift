import AudioCore
import Glibc

/// The system's journal, for entries with fields. Any thread may write.
public final class Journal: Sendable {
    private let socket: LocalDatagramSocket

    /// Where journald listens (systemd-journald.service(8)).
    public static let socketPath = "/run/systemd/journal/socket"

    /// Returns nil if the process has no file descriptor left.
    public init?(socketPath: String = socketPath) {
        guard let address = LocalSocketAddress(socketPath), let socket = LocalDatagramSocket(to: address) else {
            return nil
        }
        self.socket = socket
    }

    /// Finds the journal if standard error goes there, which `JOURNAL_STREAM` says (systemd.exec(5)); nil where it goes
    /// elsewhere, to be read by somebody else.
    /// - Parameter descriptor: of standard error.
    public static func ofStandardError(
        _ descriptor: Int32 = STDERR_FILENO, environment: (String) -> String? = ServiceNotifier.variable
    ) -> Journal? {
        var status = stat()
        guard let stream = environment("JOURNAL_STREAM"), fstat(descriptor, &status) == 0,
            stream == "\(status.st_dev):\(status.st_ino)"
        else { return nil }
        return Journal()
    }

    /// Writes an entry; waits at most 100 ms for a journal that is behind.
    /// - Returns: false if it is lost.
    public func write(_ entry: JournalEntry) -> Bool { socket.send(entry.datagram) }
}
