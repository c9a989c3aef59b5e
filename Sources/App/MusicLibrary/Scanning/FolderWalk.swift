import Glibc
import Songs

/// Folders and all that is below them, one directory after the other. Symbolic links are followed; a directory that is
/// met twice is entered once.
struct FolderWalk {
    /// A directory as it is now.
    struct Directory {
        let path: String
        /// Whether another file system begins here.
        let isMount: Bool
        /// Whether there are neither files nor directories in it, but for hidden ones.
        let isEmpty: Bool
        /// Nil if it cannot be read: its songs may be there all the same.
        let songs: [File]?
        /// Files beside songs that are called like an album's cover, best first.
        var pictures: [File] = []

        func path(of file: File) -> String { FileName.join(path, file.name) }
    }

    struct File {
        let name: String
        let byteCount: Int64
        /// When it was last written, in nanoseconds since 1970.
        let modified: Int64

        /// Whether it is as it was, as far as that is seen without reading it.
        func isUnchanged(since former: File?) -> Bool {
            guard let former, name.utf8.elementsEqual(former.name.utf8) else { return false }
            return byteCount == former.byteCount && modified == former.modified
        }
    }

    /// The largest depth of nested directories.
    private static let depthLimit = 64

    private var waiting: [(path: String, depth: Int)]
    private var entered: Set<FileIdentity> = []
    /// Songs, or directories, whose names are not UTF-8, or that lie too deep; and directories of too many files.
    private(set) var passedCount = 0

    private let watch: FolderWatch?

    init(_ folders: [String], watch: FolderWatch? = nil) {
        waiting = folders.reversed().map { ($0, 0) }
        self.watch = watch
    }

    /// Returns the next directory; nil at the end.
    mutating func next() -> Directory? {
        while let (path, depth) = waiting.popLast() {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return Directory(path: path, isMount: false, isEmpty: false, songs: nil)
            }
            guard entered.insert(FileIdentity(status)).inserted else { continue }
            watch?.watch(path, FileIdentity(status))
            let isMount = Self.isMount(path, status)
            guard let listing = try? DirectoryListing(path) else {
                return Directory(path: path, isMount: isMount, isEmpty: false, songs: nil)
            }
            passedCount += listing.unreadableCount + (listing.isCut ? 1 : 0)
            if depth < Self.depthLimit {
                waiting += listing.directories.sorted(by: >).map { (FileName.join(path, $0), depth + 1) }
            } else {
                passedCount += listing.directories.count
            }
            return Self.directory(path, listing, isMount: isMount)
        }
        return nil
    }

    private static func directory(_ path: String, _ listing: DirectoryListing, isMount: Bool) -> Directory {
        var files = listing.files
        let songs = files[files.partition(by: SongCollection.isSong)...]
        let pictures = songs.isEmpty ? [] : FolderPictures(among: Array(files[..<songs.startIndex])).names
        return Directory(
            path: path, isMount: isMount, isEmpty: files.isEmpty && listing.directories.isEmpty,
            songs: songs.compactMap { File($0, in: path) }, pictures: pictures.compactMap { File($0, in: path) })
    }

    /// The directory above is that of the file system, whatever links led here.
    private static func isMount(_ path: String, _ status: stat) -> Bool {
        var above = stat()
        return stat(path + "/..", &above) == 0 && above.st_dev != status.st_dev
    }

    /// Whether there is nothing of this name, not even a link that leads nowhere now.
    static func isGone(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }
}

extension FolderWalk.File {
    /// Returns nil for one that vanished meanwhile.
    fileprivate init?(_ name: String, in directory: String) {
        var status = stat()
        guard stat(FileName.join(directory, name), &status) == 0 else { return nil }
        self.name = name
        byteCount = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
