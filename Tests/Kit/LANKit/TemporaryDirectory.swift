import Glibc

/// A directory in /tmp that goes away with its owner. Those of test runs that were killed go when the next one of that
/// kind is made.
package final class TemporaryDirectory {
    package let path: String
    /// Leaves it there, for a look at what went wrong, until the next one of its kind is made by another run.
    package var isKept = false

    /// - Parameter kind: what it is for; part of its name.
    package init(kind: String) throws {
        let prefix = "tutti-\(kind)-"
        Self.removeLeftovers(prefix)
        var template = Array("/tmp/\(prefix)\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LANError.system("mkdtemp", errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { if !isKept { removeTree(path) } }

    /// Removes those whose process is gone.
    private static func removeLeftovers(_ prefix: String) {
        for name in directoryEntries("/tmp") where name.hasPrefix(prefix) {
            let owner = name.dropFirst(prefix.count).prefix { $0 != "-" }
            guard let pid = pid_t(owner), kill(pid, 0) != 0, errno == ESRCH else { continue }
            removeTree("/tmp/" + name)
        }
    }
}
