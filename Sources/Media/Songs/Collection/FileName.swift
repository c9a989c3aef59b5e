/// Paths as text. To the system they are bytes; names that are not UTF-8 are ignored.
public enum FileName {
    public static func join(_ directory: String, _ name: String) -> String {
        if name.hasPrefix("/") || directory.isEmpty { return name }
        return directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// Returns everything before the last slash; empty if there is none.
    public static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the path without its name's extension, and without the dot.
    static func withoutExtension(_ path: String) -> String {
        guard let dot = path.lastIndex(of: "."), dot != path.startIndex, path[path.index(before: dot)] != "/",
            !path[dot...].contains("/")
        else { return path }
        return String(path[..<dot])
    }

    /// Returns the extension in lower case, without the dot; nil if there is none.
    static func pathExtension(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }
}
