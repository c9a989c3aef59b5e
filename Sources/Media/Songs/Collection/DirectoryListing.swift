import Glibc

/// The names in a directory, except hidden ones, in no particular order.
public struct DirectoryListing {
    public private(set) var files: [String] = []
    public private(set) var directories: [String] = []
    /// There were more entries than ``SongCollection/countLimit``.
    public private(set) var isCut = false
    /// Names that are not UTF-8.
    public private(set) var unreadableCount = 0

    /// - Throws: if it cannot be read.
    public init(_ path: String) throws(SongFailure) {
        guard let directory = opendir(path) else { throw .unreadable(path, errno) }
        defer { closedir(directory) }
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw .unreadable(path, errno) }
                return
            }
            guard files.count + directories.count < SongCollection.countLimit else {
                isCut = true
                return
            }
            guard let name = Self.name(of: entry) else {
                unreadableCount += 1
                continue
            }
            guard !name.hasPrefix(".") else { continue }
            switch Self.kind(of: entry, FileName.join(path, name)) {
            case DT_DIR: directories.append(name)
            case DT_REG: files.append(name)
            // Do not open pipes or devices found by chance.
            default: continue
            }
        }
    }

    /// Returns nil if the name is not UTF-8.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Returns the type of the entry, or of the target of a link.
    private static func kind(of entry: UnsafeMutablePointer<dirent>, _ path: String) -> Int {
        let kind = Int(entry.pointee.d_type)
        guard kind == DT_LNK || kind == DT_UNKNOWN else { return kind }
        var status = stat()
        guard stat(path, &status) == 0 else { return Int(DT_UNKNOWN) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return Int(DT_DIR)
        case S_IFREG: return Int(DT_REG)
        default: return Int(DT_UNKNOWN)
        }
    }
}
