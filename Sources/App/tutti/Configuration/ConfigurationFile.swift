import Glibc
import TOML

/// A file of the configuration, as it was when it was read.
struct ConfigurationFile: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case absent
        /// The system's reason, or another.
        case unreadable(String)
        /// A directory with more files than are read: how many, and the first of those that are not.
        case crowded(count: Int, first: String)
        case document(TOMLDocument)
    }

    let path: String
    let content: Content

    private init(path: String, content: Content) {
        self.path = path
        self.content = content
    }

    /// Reads a file, 1 MiB at most.
    init(path: String) {
        self.path = path
        content = Self.read(path)
    }

    private static func read(_ path: String) -> Content {
        // O_NONBLOCK, in case somebody put a FIFO there.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .absent : unreadable()
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return unreadable() }
        guard status.st_mode & S_IFMT == S_IFREG else { return .unreadable("it is no file") }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // One byte too many is told of by the reader.
        while bytes.count <= TOMLDocument.byteCountLimit {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                return unreadable()
            }
            bytes += buffer[..<count]
        }
        return .document(TOMLDocument(parsing: bytes))
    }

    private static func unreadable() -> Content { .unreadable(String(cString: strerror(errno))) }
}

extension ConfigurationFile {
    /// The most files of a drop-in directory.
    static let directoryCountLimit = 256

    /// Reads tutti.toml of a directory, and then those of tutti.toml.d, by their names: the weakest first. Where there
    /// are too many, the directory itself stands behind those that were read.
    static func files(in directory: String) -> [ConfigurationFile] {
        let first = directory + "/tutti.toml"
        let folder = StateDirectory(path: first + ".d")
        let names = folder.names().filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted()
        var files = [ConfigurationFile(path: first)]
        files += names.prefix(directoryCountLimit).map { ConfigurationFile(path: folder.path(of: $0)) }
        if let surplus = names.dropFirst(directoryCountLimit).first {
            files.append(.init(path: folder.path, content: .crowded(count: names.count, first: surplus)))
        }
        return files
    }
}

extension ConfigurationFile.Content {
    /// Why something is not read, for people; nil if all is.
    var problem: String? {
        switch self {
        case .absent, .document: nil
        case .unreadable(let reason): "it cannot be read: \(reason)"
        case .crowded(let count, let first):
            "it holds \(count) files, and \(ConfigurationFile.directoryCountLimit) are the most: '\(first)' and those "
                + "behind it are not read"
        }
    }
}
