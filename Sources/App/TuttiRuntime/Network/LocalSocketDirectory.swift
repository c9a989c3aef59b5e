import Glibc
import HostSystem

/// A directory of local sockets, by which programs of a machine find each other.
///
/// Whoever may look into it and write to its sockets may command what runs there: the file system decides, not a key.
public struct LocalSocketDirectory: Hashable, Sendable {
    /// What a socket's program does; the beginning of the socket's name.
    enum Role: String, CaseIterable {
        case broadcast, listen
    }

    /// Who may connect to the sockets.
    public enum Audience: Hashable, Sendable {
        /// The user that made it, and root.
        case owner
        /// The members of a group, too.
        case group(gid_t)
    }

    public let path: String
    public let audience: Audience

    public init(path: String, audience: Audience = .owner) {
        self.path = path
        self.audience = audience
    }

    /// One user's own: `tutti` below `XDG_RUNTIME_DIR` (XDG Base Directory Specification); for a service of the system
    /// what systemd made for it (`RuntimeDirectory=`, systemd.exec(5)); or `/tmp/tutti-UID` where there is neither.
    public static var standard: LocalSocketDirectory {
        // The specification says to ignore relative paths.
        if let value = getenv("XDG_RUNTIME_DIR"), value.pointee == UInt8(ascii: "/") {
            return LocalSocketDirectory(path: String(cString: value) + "/tutti")
        }
        if let value = getenv("RUNTIME_DIRECTORY"), value.pointee == UInt8(ascii: "/") {
            // There may be several.
            return LocalSocketDirectory(path: String(String(cString: value).prefix { $0 != ":" }))
        }
        return LocalSocketDirectory(path: "/tmp/tutti-\(geteuid())")
    }

    /// Where a program offers its sockets to a group. Only root makes directories there, or systemd for a service
    /// (`RuntimeDirectory=tutti`, systemd.exec(5)).
    public static let sharedPath = "/run/tutti"

    /// Those in which a command looks for programs, in this order.
    public static var searched: [LocalSocketDirectory] {
        let group = FileStatus(sharedPath).map { Audience.group($0.group) }
        return [standard] + (group.map { [LocalSocketDirectory(path: sharedPath, audience: $0)] } ?? [])
    }

    /// Returns the sockets of this machine's broadcasts, in the directories that commands search. A broadcast may have
    /// several, and one may be left over from a program that crashed.
    public static func broadcastSockets() -> [String] {
        searched.flatMap { $0.sockets() }.filter { $0.role == .broadcast }.map(\.path)
    }

    /// Makes the directory if it is missing, and gives it to the group.
    /// - Returns: whether it is this user's, and nobody but the audience may look into it.
    func prepare() -> Bool {
        mkdir(path, 0o700)
        guard let status = FileStatus(path), status.isDirectory, status.owner == geteuid() else { return false }
        switch audience {
        case .owner: return status.permissions & 0o077 == 0
        case .group(let group):
            return chown(path, uid_t.max, group) == 0 && chmod(path, 0o750) == 0
        }
    }

    /// Lets the audience connect to a socket that was made here.
    /// - Returns: false if the system refuses.
    func open(_ socket: String) -> Bool {
        switch audience {
        case .owner: true
        case .group(let group): chown(socket, uid_t.max, group) == 0 && chmod(socket, 0o660) == 0
        }
    }

    /// Returns the name of a new socket of this process; nil if a socket's name cannot be so long.
    func newSocket(_ role: Role) -> String? {
        let name = "\(path)/\(role.rawValue)\(Self.processMark)\(UInt32.random(in: 0...(.max)))"
        // sun_path of sockaddr_un has 108 bytes, the closing zero included.
        return Self.unnamed(name).utf8.count < 108 ? name : nil
    }

    /// Stands in the names of this process' sockets, and of no other's.
    private static var processMark: String { "-\(getpid())-" }

    /// Whether ``newSocket(_:)`` of this process gave a socket its name.
    static func isOfThisProcess(_ socket: String) -> Bool {
        let name = socket.split(separator: "/").last ?? ""
        return Role.allCases.contains { name.hasPrefix($0.rawValue + processMark) }
    }

    /// Where a socket is until it has its name: nobody looks there.
    static func unnamed(_ path: String) -> String { path + "~" }

    /// Returns the sockets that are here. One may be left over from a program that crashed.
    func sockets() -> [(role: Role, path: String)] {
        guard isTrusted, let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var sockets: [(Role, String)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasSuffix("~"), let role = Role.allCases.first(where: { name.hasPrefix($0.rawValue + "-") })
            else { continue }
            sockets.append((role, "\(path)/\(name)"))
        }
        return sockets
    }

    /// Whether nobody but those who own it can have put a socket here.
    private var isTrusted: Bool {
        guard let status = FileStatus(path), status.isDirectory, status.permissions & 0o022 == 0 else { return false }
        return audience != .owner || status.owner == geteuid() && status.permissions & 0o077 == 0
    }
}

/// What the system says of a file, without following a link.
private struct FileStatus {
    let owner: uid_t
    let group: gid_t
    let permissions: mode_t
    let isDirectory: Bool

    /// Returns nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        owner = status.st_uid
        group = status.st_gid
        permissions = status.st_mode & 0o777
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
    }
}
