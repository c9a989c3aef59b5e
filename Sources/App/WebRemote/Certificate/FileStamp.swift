import Glibc

/// By what a file that was changed or replaced is told from the one before: as `stat` says it, of what a link leads to.
struct FileStamp: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let byteCount: Int
    private let changed: Moment
    /// Also of rights and owners, which may keep a file from being read.
    private let statusChanged: Moment

    private struct Moment: Hashable, Sendable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    /// Nil where there is no file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        byteCount = Int(status.st_size)
        changed = Moment(status.st_mtim)
        statusChanged = Moment(status.st_ctim)
    }
}
