import Glibc
import HostSystem

/// Reads keys from the terminal on a thread of its own, which lives as long as the process.
enum KeyReader {
    /// Starts the thread. Reads nothing if standard input is no terminal.
    static func start(_ handler: @escaping @Sendable (Key) -> Void) {
        guard isatty(STDIN_FILENO) == 1 else { return }
        _ = try? HostThread(name: "tutti keys") {
            var decoder = KeyDecoder()
            var bytes = [UInt8](repeating: 0, count: 64)
            while true {
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                if count > 0 {
                    decoder.keys(bytes[..<count]).forEach(handler)
                } else if count < 0, errno == EINTR || errno == EAGAIN || errno == EIO {
                    // In the background the terminal belongs to another process.
                    sleepThread(for: .milliseconds(200))
                } else {
                    return
                }
            }
        }
    }
}
