import Glibc

extension StateDirectory {
    private static let newline = UInt8(ascii: "\n")

    /// Adds a line to the end of a file, which is made if it is missing: one write, without a sync. To be called under
    /// the lock.
    ///
    /// What somebody left unfinished behind the last line break, as a process that was killed, is cut off. Where the
    /// line cannot be written whole, nothing of it stays.
    /// - Parameter line: with its line break.
    /// - Returns: how many bytes the file has now.
    func append(_ line: [UInt8], to name: String) throws(StateError) -> Int {
        // O_NONBLOCK, in case somebody put a FIFO there.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let file = open(path(of: name), flags, 0o600)
        guard file >= 0 else { throw StateError("write", path(of: name)) }
        defer { close(file) }
        guard let end = Self.cutUnfinishedLine(of: file), Self.writeOnce(line, to: file, end: end) else {
            throw StateError("write", path(of: name))
        }
        return end + line.count
    }

    /// Returns how many bytes remain; nil, with the reason in `errno`, if that cannot be done.
    private static func cutUnfinishedLine(of file: Int32) -> Int? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        let size = Int(status.st_size)
        guard let end = endOfLines(of: file, size: size) else { return nil }
        return end == size || ftruncate(file, off_t(end)) == 0 ? end : nil
    }

    /// Returns where the last line break ends; nil, with the reason in `errno`, if the file cannot be read.
    private static func endOfLines(of file: Int32, size: Int) -> Int? {
        var block = [UInt8](repeating: 0, count: 4_096)
        var end = size
        while end > 0 {
            let start = max(0, end - block.count)
            let count = pread(file, &block, end - start, off_t(start))
            guard count >= 0 else { return nil }
            if let last = block[..<count].lastIndex(of: newline) { return start + last + 1 }
            end = start
        }
        return 0
    }

    private static func writeOnce(_ line: [UInt8], to file: Int32, end: Int) -> Bool {
        let count = Glibc.write(file, line, line.count)
        guard count != line.count else { return true }
        // A disk that becomes full takes a part first.
        let code = count < 0 ? errno : ENOSPC
        ftruncate(file, off_t(end))
        errno = code
        return false
    }
}
