import Songs

/// How far an update of the index is.
public struct UpdateProgress: Hashable, Sendable {
    /// Songs that were met so far, and those of them that were read as they are new or changed.
    public internal(set) var songCount = 0
    public internal(set) var readCount = 0
}

/// What an update of the index has changed.
public struct UpdateOutcome: Hashable, Sendable {
    public internal(set) var addedCount = 0
    public internal(set) var changedCount = 0
    public internal(set) var removedCount = 0
    /// Directories of songs whose own picture is new, changed or gone.
    public internal(set) var pictureCount = 0
    /// Names that are not UTF-8, directories that lie too deep, and directories of too many files.
    public internal(set) var passedCount = 0
    /// Songs that cannot be read now: they are as they were, and looked at the next time.
    public internal(set) var unreadCount = 0
    /// Directories with songs that cannot be seen now, as nothing is mounted there, or they may not be read: what is in
    /// the index of them stays.
    public internal(set) var away: [String] = []
    /// Whether it was stopped before the end. What was read until then is in the index.
    public internal(set) var isStopped = false

    /// The most directories that are named in ``away``.
    static let awayLimit = 20
}

/// Brings an index in line with folders: reads what is new or changed, and takes out what is gone.
///
/// Many songs are read and written together; in between they are found already, and whoever ends this loses the last
/// ones at most.
struct IndexUpdate {
    private struct KnownDirectory {
        var path: String
        var isMount: Bool
        var picture: FolderWalk.File?
        var songs: [FileKey: KnownSong] = [:]
    }

    private struct KnownSong {
        var id: Int64
        var file: FolderWalk.File
    }

    /// What else is to be written of a directory than its songs.
    private struct Note {
        var path: String
        var isMount: Bool
        var picture: FolderWalk.File?
        var isOtherPicture: Bool
    }

    private struct Pending {
        var directory: FolderWalk.Directory
        var file: FolderWalk.File
        /// Nil for a new one.
        var id: Int64?
    }

    private static let batchCount = 256
    /// With more changes than this the index of words is optimized.
    private static let optimizingCount = 1_000

    private let database: Database
    private var writer: SongWriter
    /// Directories of the index that the walk has not come to, by path.
    private var known: [FileKey: KnownDirectory] = [:]
    /// Directories that were seen, with songs or without.
    private var seen: Set<FileKey> = []
    /// Directories whose songs stay, whether they are seen or not.
    private var kept: [String] = []
    private var pending: [Pending] = []
    private var gone: [Int64] = []
    /// Directories where a file system begins, or no longer does, or that have another picture than before.
    private var notes: [Note] = []
    private(set) var progress = UpdateProgress()
    private(set) var outcome = UpdateOutcome()

    init(_ database: Database) throws(LibraryError) {
        self.database = database
        writer = SongWriter(database)
        try load()
    }

    private mutating func load() throws(LibraryError) {
        var directories: [Int64: KnownDirectory] = [:]
        try database.query(
            "SELECT id, path, is_mount, picture, picture_byte_count, picture_modified FROM directories"
        ) { row in
            let picture = row.optionalText(3)
                .map { FolderWalk.File(name: $0, byteCount: row.integer(4), modified: row.integer(5)) }
            directories[row.integer(0)] = KnownDirectory(
                path: row.text(1), isMount: row.integer(2) != 0, picture: picture)
            return true
        }
        try database.query("SELECT directory, name, id, byte_count, modified FROM songs") { row in
            let file = FolderWalk.File(name: row.text(1), byteCount: row.integer(3), modified: row.integer(4))
            directories[row.integer(0)]?.songs[FileKey(file.name)] = KnownSong(id: row.integer(2), file: file)
            return true
        }
        for (id, directory) in directories {
            known[FileKey(directory.path)] = directory
            writer.directories[FileKey(directory.path)] = id
        }
    }

    /// Takes one directory as it is now.
    /// - Parameter goOn: called after each batch; returns whether to continue.
    /// - Returns: false if it was stopped.
    @discardableResult
    mutating func take(
        _ directory: FolderWalk.Directory, goOn: (UpdateProgress) -> Bool = { _ in true }
    ) throws(LibraryError) -> Bool {
        guard let songs = directory.songs, !isAway(directory) else {
            keep(directory.path)
            return true
        }
        seen.insert(FileKey(directory.path))
        let former = known.removeValue(forKey: FileKey(directory.path))
        note(directory, former)
        var unseen = former?.songs ?? [:]
        for file in songs {
            progress.songCount += 1
            let song = unseen.removeValue(forKey: FileKey(file.name))
            guard !file.isUnchanged(since: song?.file) else { continue }
            pending.append(Pending(directory: directory, file: file, id: song?.id))
            guard pending.count >= Self.batchCount else { continue }
            try flush()
            guard goOn(progress) else { return false }
        }
        // What has a name is there, though it may not be seen.
        gone += unseen.values.filter { FolderWalk.isGone(directory.path(of: $0.file)) }.map(\.id)
        if max(gone.count, notes.count) >= Self.batchCount { try flush() }
        return true
    }

    /// Ends after all folders were walked.
    mutating func finish() throws(LibraryError) {
        let lost = known.values.filter { !isKept($0.path) }
        gone += lost.flatMap { $0.songs.values.map(\.id) }
        try flush()
        let changeCount = outcome.addedCount + outcome.changedCount + outcome.removedCount
        // An update before this one may have been stopped after it changed something.
        if try writer.isUnfinished {
            try writer.chooseCompilations()
            try writer.removeUnused()
            try writer.chooseSortNames()
        }
        try writer.remove(lost.map(\.path))
        if changeCount > Self.optimizingCount { try writer.optimizeWords() }
    }

    /// Notes that the index is as the folders are.
    func noteEnd() throws(LibraryError) {
        try database.transaction { () throws(LibraryError) in
            try writer.beginChange()
            try database.execute("INSERT INTO updates VALUES (CAST(strftime('%s', 'now') AS INTEGER))")
        }
    }

    /// Ends before that: what was not seen stays.
    mutating func stop() throws(LibraryError) {
        outcome.isStopped = true
        try flush()
    }

    mutating func notePassed(_ count: Int) { outcome.passedCount += count }

    /// Looks at what is known of a directory itself. A picture that is as it was is not read again.
    private mutating func note(_ directory: FolderWalk.Directory, _ former: KnownDirectory?) {
        let picture = directory.pictures.first {
            $0.isUnchanged(since: former?.picture) || SongArtwork.isPicture(at: directory.path(of: $0))
        }
        let isOtherPicture = picture.map { !$0.isUnchanged(since: former?.picture) } ?? (former?.picture != nil)
        guard isOtherPicture || directory.isMount != former?.isMount ?? false else { return }
        notes.append(
            Note(
                path: directory.path, isMount: directory.isMount, picture: picture, isOtherPicture: isOtherPicture))
    }

    // MARK: What is away

    /// Where something was mounted, and is not now, its directory is empty.
    private func isAway(_ directory: FolderWalk.Directory) -> Bool {
        directory.isEmpty && !directory.isMount && known[FileKey(directory.path)]?.isMount == true
    }

    private mutating func keep(_ path: String) {
        kept.append(path)
        guard known.values.contains(where: { !$0.songs.isEmpty && $0.path.isInside(path) }) else { return }
        if outcome.away.count < UpdateOutcome.awayLimit { outcome.away.append(path) }
    }

    /// Whether the songs of a directory that was not seen stay. What is gone is no longer in a directory that was seen,
    /// and was no mount; or lies in no folder.
    private mutating func isKept(_ path: String) -> Bool {
        if kept.contains(where: path.isInside) { return true }
        var below = path
        while let above = below.directoryAbove {
            if seen.contains(FileKey(above)) {
                guard !FolderWalk.isGone(below) || known[FileKey(below)]?.isMount == true else { return false }
                keep(below)
                return true
            }
            below = above
        }
        return false
    }

    // MARK: Writing

    private mutating func flush() throws(LibraryError) {
        guard !pending.isEmpty || !gone.isEmpty || !notes.isEmpty else { return }
        let tags = TagReading.tags(of: pending.map { $0.directory.path(of: $0.file) })
        let (songs, gone, notes) = (zip(pending, tags), self.gone, self.notes)
        var writer = writer
        try database.transaction { () throws(LibraryError) in
            try writer.beginChange()
            for note in notes { try writer.note(note.path, isMount: note.isMount, picture: note.picture) }
            for id in gone { try writer.remove(id) }
            for (song, tags) in songs {
                if let tags { try writer.write(song.file, tags, in: song.directory, replacing: song.id) }
            }
        }
        self.writer = writer
        progress.readCount += pending.count
        outcome.removedCount += gone.count
        outcome.pictureCount += notes.count(where: \.isOtherPicture)
        for (song, tags) in songs {
            switch (song.id, tags) {
            case (_, nil): outcome.unreadCount += 1
            case (nil, _): outcome.addedCount += 1
            default: outcome.changedCount += 1
            }
        }
        (pending, self.gone, self.notes) = ([], [], [])
    }
}

extension String {
    /// Whether a path is that of a directory, or of something below it.
    func isInside(_ directory: String) -> Bool {
        let (bytes, other) = (utf8, directory.utf8)
        guard bytes.starts(with: other) else { return false }
        return bytes.count == other.count || directory == "/"
            || bytes.dropFirst(other.count).first == UInt8(ascii: "/")
    }

    /// The path above an absolute one; nil for that of the root.
    fileprivate var directoryAbove: String? { self == "/" ? nil : FileName.directory(of: self) }
}
