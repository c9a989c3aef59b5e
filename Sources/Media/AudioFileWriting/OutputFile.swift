import Glibc

/// A file with writes at given offsets; closed when it goes out of scope.
public struct OutputFile: ~Copyable, Sendable {
    public let path: String
    private let descriptor: Int32
    private let isNew: Bool

    /// Creates or opens a file, and locks it against other writers of this type. Its contents stay until ``empty()``.
    /// - Parameter replaces: whether to open an existing file; otherwise it is an error.
    public init(path: String, replaces: Bool) throws(AudioFileWritingError) {
        (descriptor, isNew) = try Self.open(path, replaces: replaces)
        self.path = path
    }

    private static func open(_ path: String, replaces: Bool) throws(AudioFileWritingError) -> (Int32, isNew: Bool) {
        var descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        let isNew = descriptor >= 0
        // A dangling symbolic link exists, and can only be opened in this way.
        if !isNew, errno == EEXIST, replaces {
            descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
        }
        guard descriptor >= 0 else { throw error(path, errno) }
        do throws(AudioFileWritingError) {
            try claim(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        return (descriptor, isNew)
    }

    private static func claim(_ descriptor: Int32, _ path: String) throws(AudioFileWritingError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .isNotRegularFile(path: path)
        }
        // If the file system has no locks, nobody else can hold one.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw .isBeingWritten(path: path)
        }
    }

    deinit { close(descriptor) }

    private static func error(_ path: String, _ code: Int32) -> AudioFileWritingError {
        switch code {
        case EEXIST: isPlain(path) ? .exists(path: path) : .isNotRegularFile(path: path)
        case EISDIR, ENXIO: .isNotRegularFile(path: path)
        default: .cannotCreate(path: path, code: code)
        }
    }

    private static func isPlain(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// The file's size in bytes; 0 if the system does not say.
    var byteCount: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Writes all of the bytes at an offset, or throws; then some may have been written.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(AudioFileWritingError) {
        guard let start = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, start + done, bytes.count - done, off_t(offset) + done)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .writingFailed(path: path, code: count == 0 ? EIO : errno) }
            done += count
        }
    }

    public func write(_ bytes: [UInt8], at offset: Int64) throws(AudioFileWritingError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(AudioFileWritingError) in try write(bytes, at: offset) }
    }

    /// Sets the file's size: truncates it, or extends it with zeros that take no disk space.
    func resize(to byteCount: Int64) throws(AudioFileWritingError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw .writingFailed(path: path, code: errno) }
    }

    /// Waits until everything is on the disk: some file systems report only then that there is no space.
    func synchronize() throws(AudioFileWritingError) {
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .writingFailed(path: path, code: errno) }
    }

    /// Discards the contents of the file.
    public func empty() throws(AudioFileWritingError) { try resize(to: 0) }

    /// Abandons the file: removes it if it was created, leaves it as it is if it existed.
    public func discard() { if isNew { unlink(path) } }

    /// Removes the file, whoever created it.
    func remove() { unlink(path) }
}
