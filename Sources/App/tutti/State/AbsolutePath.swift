import Glibc
import Songs

/// Paths that mean the same from every directory, and at every time.
enum AbsolutePath {
    /// Returns a path of what is there without symbolic links; nil if nothing is, with the reason in `errno`.
    static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// Returns a path from the root on, without `.`, `..` and doubled slashes. Symbolic links stay as they are, but for
    /// those before a `..`. Where the directory cannot be told, the path is returned as it is.
    static func of(_ path: String) -> String {
        var whole = path
        if path.utf8.first != UInt8(ascii: "/") {
            guard let directory = getcwd(nil, 0) else { return path }
            defer { free(directory) }
            whole = String(cString: directory) + "/" + path
        }
        let parts = whole.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }.filter { $0 != "." }
        guard parts.contains("..") else { return "/" + parts.joined(separator: "/") }
        // Where a link leads, `..` is the directory above its target.
        guard let name = parts.last, name != "..", let directory = realpath(FileName.directory(of: whole), nil) else {
            return whole
        }
        defer { free(directory) }
        return String(validatingCString: directory).map { FileName.join($0, name) } ?? whole
    }
}
