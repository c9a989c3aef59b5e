import Glibc

extension CodecLibrary {
    /// Whether the library is installed, judged without loading it: a file with one of its names is where the loader
    /// would look. Searched once per process; takes less than a millisecond.
    public static let isInstalled = isInstalled(
        searchPath: getenv("LD_LIBRARY_PATH").map { String(cString: $0) } ?? "", cache: "/etc/ld.so.cache",
        directories: ["/lib", "/usr/lib", "/lib64", "/usr/lib64"])

    /// Searches in ld.so(8)'s order: the environment's path, the cache, the default directories.
    static func isInstalled(searchPath: String, cache: String, directories: [String]) -> Bool {
        let names = CodecLibraryVersion.majors.map { CodecLibraryVersion.fileName(major: $0.codec) }
        let listed = searchPath.split(separator: ":").map(String.init) + directories
        if listed.contains(where: { directory in names.contains { access(directory + "/" + $0, R_OK) == 0 } }) {
            return true
        }
        let text = contents(of: cache)
        return names.contains { name in paths(endingIn: "/" + name, in: text).contains { access($0, R_OK) == 0 } }
    }

    /// Extracts paths from the cache, which contains them as C strings, whatever surrounds them (ldconfig(8)).
    private static func paths(endingIn suffix: String, in cache: [UInt8]) -> [String] {
        let wanted = Array(suffix.utf8)
        return cache.split(separator: 0).filter {
            $0.first == UInt8(ascii: "/") && $0.suffix(wanted.count) == wanted[...]
        }
        .map { String(decoding: $0, as: UTF8.self) }
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
