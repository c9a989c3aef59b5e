import CLinux
import Glibc
import Songs

/// Learns of changes in directories from the kernel (inotify(7)): that something is another than it was, not what.
///
/// Not for directories on network file systems, where others change files without this kernel's knowledge, nor beyond
/// the number that the kernel watches for a user: ``isComplete`` says whether there are such. For one thread.
public final class FolderWatch {
    /// Becomes readable when something changed.
    public let descriptor: Int32
    private var watched: Set<FileIdentity> = []
    /// Whether all directories are watched.
    public private(set) var isComplete = true

    private static let events = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR)

    /// Returns nil where the kernel gives no more of them (`fs.inotify.max_user_instances`).
    public init?() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Watches a directory from now on. One that is watched already, or is not there, changes nothing.
    func watch(_ path: String, _ identity: FileIdentity) {
        guard watched.insert(identity).inserted else { return }
        guard cfilesystems_is_remote(path) == 0 else { return isComplete = false }
        if inotify_add_watch(descriptor, path, Self.events) < 0, errno != ENOENT, errno != ENOTDIR {
            isComplete = false
        }
    }

    /// Takes what came.
    /// - Returns: whether anything changed.
    public func takeChanges() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var hasChanged = false
        while read(descriptor, &buffer, buffer.count) > 0 { hasChanged = true }
        // A directory that was made anew under its name is another one.
        if hasChanged { watched = [] }
        return hasChanged
    }
}
