import Glibc
import HostSystem

/// The directory of one user's local sockets, by which programs of a machine find each other: `tutti` below
/// `XDG_RUNTIME_DIR` (XDG Base Directory Specification), or `/tmp/tutti-UID` where there is none.
///
/// Only its owner may look into it, so whoever connects is that user, or root.
public struct LocalSocketDirectory: Hashable, Sendable {
    /// What a socket's program does; the beginning of the socket's name.
    enum Role: String, CaseIterable {
        case broadcast, listen
    }

    public let path: String

    public init(path: String) { self.path = path }

    public static var standard: LocalSocketDirectory {
        // The specification says to ignore relative paths.
        if let value = getenv("XDG_RUNTIME_DIR"), value.pointee == UInt8(ascii: "/") {
            return LocalSocketDirectory(path: String(cString: value) + "/tutti")
        }
        return LocalSocketDirectory(path: "/tmp/tutti-\(geteuid())")
    }

    /// Makes the directory if it is missing.
    /// - Returns: whether it is this user's alone.
    func prepare() -> Bool {
        mkdir(path, 0o700)
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
    }

    /// Returns the name of a new socket of this process; nil if a socket's name cannot be so long.
    func newSocket(_ role: Role) -> String? {
        let name = "\(path)/\(role.rawValue)-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        // sun_path of sockaddr_un has 108 bytes, the closing zero included.
        return name.utf8.count < 108 ? name : nil
    }

    /// Returns the sockets of this user's programs. One may be left over from a program that crashed.
    func sockets() -> [(role: Role, path: String)] {
        guard prepare(), let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var sockets: [(Role, String)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let role = Role.allCases.first(where: { name.hasPrefix($0.rawValue + "-") }) else { continue }
            sockets.append((role, "\(path)/\(name)"))
        }
        return sockets
    }
}
