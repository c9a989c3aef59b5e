extension MusicIndex {
    /// Reads what is new or changed in folders, and takes out of the index what is no longer in them. What lies in no
    /// folder is taken out, too; what cannot be seen now, as on a share that is away, stays.
    /// - Parameters:
    ///   - folders: absolute paths.
    ///   - watch: what is to watch every directory that is met, each before it is read; nil for none.
    ///   - progress: called for each directory, and in large ones now and then; returns whether to go on.
    /// - Returns: nil if another process is at it.
    public func update(
        _ folders: [String], watch: FolderWatch? = nil, progress: (UpdateProgress) -> Bool
    ) throws(LibraryError) -> UpdateOutcome? {
        var lock: IndexLock?
        if let lockPath {
            lock = IndexLock(path: lockPath)
            guard lock != nil else { return nil }
        }
        defer { withExtendedLifetime(lock) {} }
        var update = try IndexUpdate(database)
        var walk = FolderWalk(folders, watch: watch)
        while let directory = walk.next() {
            guard progress(update.progress), try update.take(directory, goOn: progress) else {
                try update.stop()
                return update.outcome
            }
        }
        update.notePassed(walk.passedCount)
        try update.finish()
        try update.noteEnd()
        return update.outcome
    }

    /// Seconds since the last update that came to its end; nil if none did, or another one was stopped since; negative
    /// if the clock was set back since.
    public func secondsSinceUpdate() throws(LibraryError) -> Int64? {
        try database.integer("SELECT CAST(strftime('%s', 'now') AS INTEGER) - finished FROM updates")
    }
}
