import Glibc
import Playout

/// A file that is written at given places; closes when it goes out of scope.
struct OutputFile: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Creates the file, or empties it.
    init(path: String) throws(OutputDeviceError) {
        let opened = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard opened >= 0 else { throw Self.error(path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Writes all of the bytes at an offset, or throws.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(OutputDeviceError) {
        guard let start = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, start + done, bytes.count - done, off_t(offset) + done)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.error(path) }
            done += count
        }
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(OutputDeviceError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(OutputDeviceError) in try write(bytes, at: offset) }
    }

    private static func error(_ path: String) -> OutputDeviceError {
        .cannotWrite(path: path, reason: String(cString: strerror(errno)))
    }
}
