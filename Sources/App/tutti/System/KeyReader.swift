import AudioCore
import Glibc
import HostSystem
import TerminalIO

/// Reads keys from the terminal on a thread of its own, which lives as long as the process.
enum KeyReader {
    /// Starts the thread. Reads nothing if standard input is no terminal.
    /// - Parameters:
    ///   - onEnd: called when the terminal is gone.
    ///   - onAnswer: called with what the terminal answers to a query.
    static func start(
        onEnd: @escaping @Sendable () -> Void = {}, onAnswer: @escaping @Sendable (TerminalAnswer) -> Void = { _ in },
        _ handler: @escaping @Sendable (Key) -> Void
    ) {
        guard isatty(STDIN_FILENO) == 1 else { return }
        _ = try? HostThread(name: "tutti keys") {
            var decoder = KeyDecoder()
            var bytes = [UInt8](repeating: 0, count: 64)
            while true {
                if decoder.isEscapeOpen, !isReadable(within: escapeTime) { decoder.noMore().map(handler) }
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                if count > 0 {
                    decoder.keys(bytes[..<count]).forEach(handler)
                    decoder.takeAnswers().forEach(onAnswer)
                } else if count < 0, errno == EINTR || errno == EAGAIN || errno == EIO {
                    // In the background the terminal belongs to another process.
                    sleepThread(for: .milliseconds(200))
                } else {
                    return onEnd()
                }
            }
        }
    }

    /// A sequence's bytes come together, but for slow links.
    private static let escapeTime = TimeSpan.milliseconds(50)

    private static func isReadable(within span: TimeSpan) -> Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, Int32(span.nanoseconds / 1_000_000)) != 0
    }
}
