import Glibc

/// The destination of decoded bytes: a file that gets its name when it is complete, or an open descriptor.
struct OutputTarget: ~Copyable {
    private let descriptor: Int32
    /// For messages.
    private let name: String
    /// The file's temporary and final name; nil for what is written in place (a pipe, a device).
    private let renaming: (temporary: String, final: String)?
    private let closesDescriptor: Bool
    private var isCommitted = false

    static let standardOutput = "-"

    /// - Parameter input: the file being read, which must not be overwritten.
    init(path: String, input: FileIdentity) throws(SongFailure) {
        guard path != Self.standardOutput else {
            self.init(descriptor: STDOUT_FILENO, name: "standard output", renaming: nil, closesDescriptor: false)
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, FileIdentity(status) == input {
            throw SongFailure(.cannotCreate, "'\(path)' is the song itself; choose another name to write to")
        }
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            throw SongFailure(.cannotCreate, "'\(path)' is a directory; name a file in it")
        }
        if exists, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .unwritable(path, errno) }
            self.init(descriptor: descriptor, name: path, renaming: nil, closesDescriptor: true)
            return
        }
        // Replace the target of a symbolic link, not the link.
        let final = exists ? Self.resolved(path) : path
        let temporary = "\(final).\(getpid()).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .unwritable(path, errno) }
        self.init(descriptor: descriptor, name: path, renaming: (temporary, final), closesDescriptor: true)
    }

    private init(
        descriptor: Int32, name: String, renaming: (temporary: String, final: String)?, closesDescriptor: Bool
    ) {
        self.descriptor = descriptor
        self.name = name
        self.renaming = renaming
        self.closesDescriptor = closesDescriptor
    }

    deinit {
        if closesDescriptor { close(descriptor) }
        if let renaming, !isCommitted { unlink(renaming.temporary) }
    }

    func write(_ bytes: [UInt8]) throws(SongFailure) {
        let code = bytes.withUnsafeBytes { bytes -> Int32 in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if count < 0, errno == EAGAIN {
                    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, 1_000)
                } else if count == 0 || errno != EINTR {
                    return count == 0 ? EIO : errno
                }
            }
            return 0
        }
        guard code != 0 else { return }
        throw SongFailure(.cannotCreate, "writing '\(name)' failed: \(String(cString: strerror(code)))")
    }

    /// Gives the complete file its final name.
    mutating func commit() throws(SongFailure) {
        guard let renaming else { return }
        guard rename(renaming.temporary, renaming.final) == 0 else { throw .unwritable(name, errno) }
        isCommitted = true
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension SongFailure {
    fileprivate static func unwritable(_ path: String, _ code: Int32) -> SongFailure {
        SongFailure(.cannotCreate, "cannot write '\(path)': \(String(cString: strerror(code)))")
    }
}
