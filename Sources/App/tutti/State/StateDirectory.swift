import Glibc

/// The directory for what Tutti remembers between runs: `$XDG_STATE_HOME/tutti` (XDG Base Directory Specification;
/// `~/.local/state/tutti` by default). A service whose user has no home has the one that systemd made for it
/// (`StateDirectory=`, systemd.exec(5)).
///
/// Files are small and replaced whole, so a reader sees the old or the new one, never a part. Nothing here is cached.
struct StateDirectory: Hashable, Sendable {
    /// The most bytes read of one file; a larger file is damaged.
    static let fileByteCountLimit = 128 * 1024

    let path: String

    init(path: String) { self.path = path }

    /// Returns nil if neither `XDG_STATE_HOME` nor `HOME` names an absolute path, the user has no home directory, and
    /// no service manager made a directory.
    static func standard(_ environment: (String) -> String? = Self.environment) -> StateDirectory? {
        // The specification says to ignore relative paths.
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            return StateDirectory(path: state + "/tutti")
        }
        if isHomeless(environment("HOME")), let made = environment("STATE_DIRECTORY"), made.hasPrefix("/") {
            // There may be several.
            return StateDirectory(path: String(made.prefix { $0 != ":" }))
        }
        return home(environment).map { StateDirectory(path: $0 + "/.local/state/tutti") }
    }

    /// Users of services have no home, or one where they cannot write (sysusers.d(5), systemd.exec(5)).
    private static func isHomeless(_ home: String?) -> Bool { [nil, "/", "/nonexistent"].contains(home) }

    /// For what can be made again: `$XDG_CACHE_HOME/tutti`, `~/.cache/tutti` by default.
    static func cache() -> StateDirectory? {
        if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") {
            return StateDirectory(path: cache + "/tutti")
        }
        return home().map { StateDirectory(path: $0 + "/.cache/tutti") }
    }

    /// For what the user has made: `$XDG_DATA_HOME/tutti`, `~/.local/share/tutti` by default.
    static func data() -> StateDirectory? {
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return StateDirectory(path: data + "/tutti")
        }
        return home().map { StateDirectory(path: $0 + "/.local/share/tutti") }
    }

    /// The user's home directory, an absolute path.
    static func home(_ environment: (String) -> String? = Self.environment) -> String? {
        guard let home = environment("HOME") ?? homeOfUser(), home.hasPrefix("/") else { return nil }
        return home
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Returns a file's bytes, up to a limit; nil if there is no such file.
    func read(_ name: String, limit: Int = fileByteCountLimit) throws(StateError) -> [UInt8]? {
        try file(name, limit: limit)?.bytes
    }

    /// Returns a file's bytes, up to a limit, and who may use that very file; nil if there is no such file.
    func file(_ name: String, limit: Int) throws(StateError) -> StateFile? {
        // O_NONBLOCK, in case somebody put a FIFO there.
        let file = open(path(of: name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StateError("read", path(of: name))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw StateError("read", path(of: name)) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw StateError("read", path(of: name)) }
        return StateFile(bytes: Array(bytes[..<count]), status: StateFileStatus(status))
    }

    /// Who may use a file, and which content it has; nil if there is no such file.
    func status(of name: String) throws(StateError) -> StateFileStatus? {
        var status = stat()
        guard stat(path(of: name), &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw StateError("read", path(of: name))
        }
        return StateFileStatus(status)
    }

    /// Gives a file another name, for somebody to look at: NAME.damaged, or with a number behind it. Replaces nothing,
    /// as it is called under the lock.
    /// - Returns: the other name.
    func setAside(_ name: String, as mark: String = "damaged") throws(StateError) -> String {
        let other = try nameAside(name, mark)
        guard rename(path(of: name), path(of: other)) == 0 else { throw StateError("rename", path(of: name)) }
        try syncNames()
        return other
    }

    /// Gives a file another name besides its own, which it keeps until something else is written to it.
    func keepAside(_ name: String, as mark: String = "damaged") throws(StateError) -> String {
        let other = try nameAside(name, mark)
        guard link(path(of: name), path(of: other)) == 0 else { throw StateError("link", path(of: name)) }
        return other
    }

    private func nameAside(_ name: String, _ mark: String) throws(StateError) -> String {
        let names = (1...Self.setAsideLimit).map { "\(name).\(mark)" + ($0 == 1 ? "" : "-\($0)") }
        if let other = names.first(where: { access(path(of: $0), F_OK) != 0 }) { return other }
        errno = EEXIST
        throw StateError("rename", path(of: name))
    }

    /// Files of one name and mark that are kept.
    static let setAsideLimit = 100

    /// Removes a file, if it is there.
    func remove(_ name: String) throws(StateError) {
        guard unlink(path(of: name)) == 0 || errno == ENOENT else { throw StateError("remove", path(of: name)) }
        try syncNames()
    }

    /// Returns the names of the files that are here, in no order; none if it cannot be read.
    func names() -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // d_name is as long as the name.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Writes a file, whole and to the disk; makes the directory if it is missing.
    /// - Parameter mode: who may use it, if the user's mask allows that.
    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws(StateError) {
        try makeDirectory()
        let temporary = path(of: ".\(name).\(getpid()).\(UInt32.random(in: 0...(.max)))")
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw StateError("write", temporary) }
        defer { close(file) }
        guard Self.writeAll(bytes, to: file), fsync(file) == 0, rename(temporary, path(of: name)) == 0 else {
            let error = StateError("write", path(of: name))
            unlink(temporary)
            throw error
        }
        try syncNames()
    }

    /// Returns false, with the reason in `errno`, if not all can be written. A disk that becomes full takes a part
    /// first.
    private static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return false }
            }
            return true
        }
    }

    /// Syncs the directory: without this a power loss may undo a rename.
    private func syncNames() throws(StateError) {
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StateError("open", path) }
        defer { close(directory) }
        // Some file systems do not support this.
        guard fsync(directory) == 0 || errno == EINVAL else { throw StateError("sync", path) }
    }

    /// Runs `body` while no other process does the same. If the file system has no locks, runs it all the same.
    /// - Throws: if the directory is not to be had. What `body` throws is in the result.
    func exclusively<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(StateError) -> Result<Value, Failure> {
        try makeDirectory()
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw StateError("open", path) }
        // Closing releases the lock.
        defer { close(directory) }
        while flock(directory, LOCK_EX) != 0, errno == EINTR {}
        return Result(catching: body)
    }

    /// Makes the directory if it is missing.
    func makeDirectory() throws(StateError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, F_OK) != 0 {
                throw StateError("make", partial)
            }
        }
    }

    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    private static func homeOfUser() -> String? {
        guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
        return String(cString: home)
    }
}

/// What a file held when it was read.
struct StateFile {
    let bytes: [UInt8]
    let status: StateFileStatus
}

/// What the system knows of a file.
struct StateFileStatus: Hashable {
    let isOwn: Bool
    /// Whether nobody but the owner may read or write it.
    let isPrivate: Bool
    /// Another one whenever the file was replaced or written.
    let version: [Int]

    fileprivate init(_ status: stat) {
        isOwn = status.st_uid == geteuid()
        isPrivate = status.st_mode & 0o077 == 0
        version = [
            Int(bitPattern: UInt(status.st_ino)), Int(status.st_size), status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}

/// A file of the state directory that cannot be used: the operation, the path, and the system's reason.
struct StateError: Error, Hashable {
    var operation: String
    var path: String
    var code: Int32

    /// Takes the reason from `errno`.
    init(_ operation: String, _ path: String) {
        self.code = errno
        self.operation = operation
        self.path = path
    }
}

extension StateError: CustomStringConvertible {
    var description: String { "cannot \(operation) \(path): \(String(cString: strerror(code)))" }
}
