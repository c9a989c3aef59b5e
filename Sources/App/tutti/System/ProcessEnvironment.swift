import Glibc

/// The environment of this process.
enum ProcessEnvironment {
    /// All variables, as `NAME=VALUE`. Not to be called while another thread sets one.
    static var entries: [String] { entries(beginningWith: "") }

    /// Those that begin with a text of ASCII letters.
    static func entries(beginningWith prefix: String) -> [String] {
        var entries: [String] = []
        var next = environ
        while let entry = next.pointee {
            if strncmp(entry, prefix, prefix.utf8.count) == 0 { entries.append(String(cString: entry)) }
            next += 1
        }
        return entries
    }
}
