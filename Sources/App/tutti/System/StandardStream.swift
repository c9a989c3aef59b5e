@preconcurrency import Glibc

/// Standard output and standard error.
enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes all bytes. Blocks while the reader is slow.
    /// - Returns: false if nobody reads any more, or nothing more can be written.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes all bytes, like ``write(_:)`` of a text.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { write($0) } }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(rawValue, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if count < 0, errno == EAGAIN {
                waitUntilWritable()
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Runs `body` while anything that this process writes to either stream is discarded: libraries of sound servers
    /// print what we report in our own words. Nothing of ours may be written meanwhile.
    static func silencingOthers<Result>(_ body: () -> Result) -> Result {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return body() }
        defer { close(nowhere) }
        let saved = [output, error].map { (stream: $0, copy: fcntl($0.rawValue, F_DUPFD_CLOEXEC, 3)) }
        for (stream, copy) in saved where copy >= 0 { dup2(nowhere, stream.rawValue) }
        defer {
            // Discards what is in C's own buffer, too.
            fflush(stdout)
            for (stream, copy) in saved where copy >= 0 {
                dup2(copy, stream.rawValue)
                close(copy)
            }
        }
        return body()
    }

    var isTerminal: Bool { isatty(rawValue) == 1 }

    // A terminal shared with another process may have been made non-blocking by that process.
    private func waitUntilWritable() {
        var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, 1_000)
    }
}
