import Glibc

/// An open file, read from front to back.
struct SongFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// - Throws: what is wrong with the path, in a sentence for people.
    init(path: String) throws(RuntimeFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, errno) }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw RuntimeFailure(.missingInput, "'\(path)' is a directory; name a song in it")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RuntimeFailure(.missingInput, "'\(path)' is not a file; name a song")
        }
        if status.st_size == 0 {
            throw RuntimeFailure(.unusableInput, "'\(path)' is empty; choose a song")
        }
    }

    deinit { close(descriptor) }

    /// Reads the next bytes into `buffer`; zero at the end.
    /// - Throws: the system's error number.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SongFileError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SongFileError(code: errno) }
        }
    }
}

/// Reading failed on the way: an error number.
struct SongFileError: Error {
    var code: Int32

    var text: String { String(cString: strerror(code)) }
}

extension RuntimeFailure {
    fileprivate static func unreadable(_ path: String, _ code: Int32) -> RuntimeFailure {
        switch code {
        case ENOENT, ENOTDIR: RuntimeFailure(.missingInput, "'\(path)' does not exist; check the path")
        case EACCES, EPERM: RuntimeFailure(.missingInput, "'\(path)' may not be read; check its permissions")
        default: RuntimeFailure(.missingInput, "cannot open '\(path)': \(String(cString: strerror(code)))")
        }
    }
}
