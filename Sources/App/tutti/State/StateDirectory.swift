import Glibc

/// The directory where Tutti keeps what it must know the next time: `$XDG_STATE_HOME/tutti` (XDG Base Directory
/// Specification; `~/.local/state/tutti` by default).
///
/// Files are small and replaced whole, so a reader sees the old or the new, never a part. Nothing here is cached.
struct StateDirectory: Hashable, Sendable {
    /// Bytes of one file that are read; more is a damaged file.
    static let fileByteCountLimit = 64 * 1024

    let path: String

    init(path: String) { self.path = path }

    /// Nil where neither `XDG_STATE_HOME` nor `HOME` names an absolute path and the user has no home directory.
    static func standard() -> StateDirectory? {
        // The specification says to ignore relative paths.
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            return StateDirectory(path: state + "/tutti")
        }
        guard let home = environment("HOME") ?? homeOfUser(), home.hasPrefix("/") else { return nil }
        return StateDirectory(path: home + "/.local/state/tutti")
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// A file's bytes; nil where there is no such file.
    func read(_ name: String) throws(StateError) -> [UInt8]? {
        // Not blocked by a FIFO that someone put there.
        let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StateError("read", path(of: name))
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.fileByteCountLimit)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw StateError("read", path(of: name)) }
        return Array(bytes[..<count])
    }

    /// Puts a file in place, whole and on the disk; makes the directory where it is missing.
    func write(_ bytes: [UInt8], to name: String) throws(StateError) {
        try makeDirectory()
        let temporary = path(of: ".\(name).\(getpid()).\(UInt32.random(in: 0...(.max)))")
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StateError("write", temporary) }
        defer { close(file) }
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        guard isWritten, rename(temporary, path(of: name)) == 0 else {
            let error = StateError("write", path(of: name))
            unlink(temporary)
            throw error
        }
        try syncNames()
    }

    /// Puts the names in the directory on the disk: without it a loss of power takes a file back that was renamed.
    private func syncNames() throws(StateError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StateError("open", path) }
        defer { close(directory) }
        // Some file systems know no such thing.
        guard fsync(directory) == 0 || errno == EINVAL else { throw StateError("sync", path) }
    }

    /// Runs `body` while no other process does the same. Where the file system knows no locks, it runs all the same.
    func exclusively<Result>(_ body: () throws(StateError) -> Result) throws(StateError) -> Result {
        try makeDirectory()
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StateError("open", path) }
        // Closing releases the lock.
        defer { close(directory) }
        while flock(directory, LOCK_EX) != 0, errno == EINTR {}
        return try body()
    }

    private func makeDirectory() throws(StateError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, F_OK) != 0 {
                throw StateError("make", partial)
            }
        }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static func homeOfUser() -> String? {
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
        return String(cString: home)
    }
}

/// A file of the state directory cannot be used: the operation, the path, and the system's reason.
struct StateError: Error, Hashable {
    var operation: String
    var path: String
    var code: Int32

    /// Takes the reason from `errno`.
    fileprivate init(_ operation: String, _ path: String) {
        self.code = errno
        self.operation = operation
        self.path = path
    }
}

extension StateError: CustomStringConvertible {
    var description: String { "cannot \(operation) \(path): \(String(cString: strerror(code)))" }
}
