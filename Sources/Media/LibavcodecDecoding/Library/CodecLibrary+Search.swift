import Glibc

extension CodecLibrary {
    /// What of the library is on a machine, as far as can be told by the names of files.
    public enum Availability: Hashable, Sendable {
        case supported
        /// Libraries of other major versions alone; the newest one's.
        case other(major: Int)
        case missing
    }

    /// Where the loader would look on this machine. Looked up once for a process; costs less than a millisecond.
    public static let availability = availability(
        searchPath: getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? "", cache: "/etc/ld.so.cache",
        directories: ["/lib", "/usr/lib", "/lib64", "/usr/lib64"])

    /// ld.so(8)'s order: the environment's path, the cache, the default directories.
    static func availability(searchPath: String, cache: String, directories: [String]) -> Availability {
        let listed = searchPath.split(separator: ":").map(String.init) + directories
        let isListed = listed.contains { access($0 + "/" + CodecLibraryVersion.fileName, R_OK) == 0 }
        guard !isListed else { return .supported }
        let majors = cachedMajors(contents(of: cache))
        guard !majors.contains(CodecLibraryVersion.codec) else { return .supported }
        let others = majors + listed.flatMap(listedMajors)
        return others.max().map { .other(major: $0) } ?? .missing
    }

    /// Of the files that the cache names and that are there. It holds the paths as C strings, whatever surrounds them
    /// (ldconfig(8)).
    private static func cachedMajors(_ cache: [UInt8]) -> [Int] {
        let name = Array(CodecLibraryVersion.fileNamePrefix.utf8)
        return cache.split(separator: 0).compactMap { text in
            guard text.first == UInt8(ascii: "/"), let slash = text.lastIndex(of: UInt8(ascii: "/")),
                text[(slash + 1)...].starts(with: name)
            else { return nil }
            return major(ofFile: String(decoding: text, as: UTF8.self))
        }
    }

    /// Of the files in a directory.
    private static func listedMajors(_ directory: String) -> [Int] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob("\(directory)/\(CodecLibraryVersion.fileNamePrefix)*", 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].flatMap { major(ofFile: String(cString: $0)) }
        }
    }

    /// Nil where the file cannot be read, or more than the major version is in its name: the loader passes it over.
    private static func major(ofFile path: String) -> Int? {
        guard access(path, R_OK) == 0, let name = path.split(separator: "/").last else { return nil }
        return Int(name.dropFirst(CodecLibraryVersion.fileNamePrefix.count))
    }

    /// Reads at most 4 MiB; the cache of a large desktop has 200 KiB. Empty if it cannot be read.
    private static func contents(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < 4 * 1024 * 1024 {
            let count = read(file, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}
