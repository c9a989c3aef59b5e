import Glibc

/// The whole content of a file that a person names, and how others stand to it.
struct SmallFile {
    /// Far more than a chain of certificates has.
    static let byteLimit = 256 * 1024

    let bytes: [UInt8]
    /// Whether every user of this machine may read it.
    let isReadByOthers: Bool

    /// May wait for a disk.
    init(path: String) throws(PageCertificateError) {
        // A FIFO without a writer must not hold anybody up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(path, String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.failure(path, "it is no file") }
        isReadByOthers = status.st_mode & S_IROTH != 0
        var found: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while found.count <= Self.byteLimit {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path, String(cString: strerror(errno))) }
            if count == 0 { break }
            found += piece[..<count]
        }
        guard found.count <= Self.byteLimit else { throw Self.failure(path, "it is too large for a certificate") }
        bytes = found
    }

    private static func failure(_ path: String, _ reason: String) -> PageCertificateError {
        PageCertificateError(.unreadable, "cannot read the certificate's file \(path): \(reason)")
    }
}
