import Glibc

/// An open file with random access.
public struct SongFile: ~Copyable {
    public let path: String
    /// Size of the file when it was opened.
    public let byteCount: Int64
    /// Identifies the file on this machine, whatever its path.
    public let identity: FileIdentity
    private let descriptor: Int32

    /// - Throws: what is wrong with the path.
    public init(path: String) throws(SongFailure) {
        // Opening a pipe or a device must not block.
        try self.init(owning: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path: path)
    }

    /// Uses an open file, with a duplicate of its descriptor.
    init(descriptor: Int32, calledPath path: String) throws(SongFailure) {
        try self.init(owning: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path: path)
    }

    private init(owning descriptor: Int32, path: String) throws(SongFailure) {
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
        var status = stat()
        let failure =
            fstat(descriptor, &status) == 0 ? Self.objection(to: status, path) : SongFailure.unreadable(path, errno)
        if let failure {
            close(descriptor)
            throw failure
        }
        self.init(path: path, descriptor: descriptor, status: status)
    }

    private init(path: String, descriptor: Int32, status: stat) {
        self.path = path
        self.descriptor = descriptor
        byteCount = Int64(status.st_size)
        identity = FileIdentity(status)
    }

    deinit { close(descriptor) }

    private static func objection(to status: stat, _ path: String) -> SongFailure? {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: SongFailure(.missing, "'\(path)' is a directory; name a song in it")
        case S_IFREG: status.st_size == 0 ? SongFailure(.unusable, "'\(path)' is empty; choose a song") : nil
        default: SongFailure(.missing, "'\(path)' is not a file; name a song")
        }
    }

    /// Reads bytes from an offset on into `buffer`; fewer than fit, or none, only at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset &+ Int64(filled)))
            if count == 0 { break }
            if count > 0 {
                filled += count
            } else if errno != EINTR {
                throw SongFailure(.unusable, "reading '\(path)' failed: \(String(cString: strerror(errno)))")
            }
        }
        return filled
    }
}

/// Device and inode number of a file.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    public init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }
}
