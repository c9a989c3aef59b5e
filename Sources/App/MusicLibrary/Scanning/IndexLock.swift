import Glibc

/// Lets one process at a time read the folders. Held as long as the object lives, and no longer than the process.
final class IndexLock {
    private let descriptor: Int32

    /// Returns nil while another process has it. Where the file system knows no locks, everybody has it.
    init?(path: String) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
        close(descriptor)
        return nil
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child process that was begun meanwhile has the descriptor until it runs its program, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
