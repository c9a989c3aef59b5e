import Glibc
import Songs

/// An index of the songs in folders, for finding them by what they say of themselves. It holds nothing that cannot be
/// read from the songs again.
///
/// It is a file of SQLite, which any number of processes may read while one of them writes. Used by one thread at a
/// time; all functions block.
public final class MusicIndex {
    /// What was done about a file that could not be used.
    public enum Repair: Hashable, Sendable {
        case none
        /// It was damaged, and is made anew.
        case remade
        /// It cannot be written, for this reason: the index is kept for this process alone.
        case unkept(LibraryError)
    }

    let database: Database
    /// Beside the database; nil where nothing is kept.
    let lockPath: String?
    public let repair: Repair

    /// Opens an index, and makes it if there is none. Its directory must be there.
    /// - Throws: ``LibraryError/noSQLite``, and what neither the file nor memory is good for. Damage may show later, at
    ///   any use: ``init(remaking:)`` then helps.
    public convenience init(path: String) throws(LibraryError) {
        try self.init(path, .mending)
    }

    /// Opens an index that is there, and leaves it as it is if it is damaged or of another release.
    /// - Throws: ``LibraryError/damaged``, now or at any use; ``LibraryError/other(_:)`` if there is none of this
    ///   release.
    public convenience init(asItIs path: String) throws(LibraryError) {
        guard access(path, F_OK) == 0 else { throw .other("there is none") }
        try self.init(path, .asItIs)
    }

    /// Deletes an index that is damaged, and makes it anew.
    /// - Throws: ``LibraryError/busy`` while another process writes to it.
    public convenience init(remaking path: String) throws(LibraryError) {
        try self.init(path, .remaking)
    }

    /// What to do about damage that shows while a file is opened.
    private enum Opening {
        case asItIs, mending, remaking
    }

    private init(_ path: String, _ opening: Opening) throws(LibraryError) {
        do throws(LibraryError) {
            let opened = try Self.open(path, opening)
            (database, repair, lockPath) = (opened.database, opened.isRepaired ? .remade : .none, Self.lock(of: path))
        } catch {
            guard opening != .asItIs else { throw error }
            switch error {
            case .readOnly, .diskFull,
                .ioError:
                (database, repair, lockPath) = (try Self.database(":memory:"), .unkept(error), nil)
            case .noSQLite, .damaged, .busy, .other: throw error
            }
        }
    }

    private static func lock(of path: String) -> String { path + ".lock" }

    private static func open(
        _ path: String, _ opening: Opening
    ) throws(LibraryError) -> (database: Database, isRepaired: Bool) {
        if opening == .remaking { try remove(path) }
        do throws(LibraryError) {
            return (try database(path, isAsItIs: opening == .asItIs), opening == .remaking)
        } catch {
            guard error == .damaged, opening == .mending else { throw error }
            try remove(path)
            return (try database(path), true)
        }
    }

    private static func database(_ path: String, isAsItIs: Bool = false) throws(LibraryError) -> Database {
        let database = try Database(path: path)
        try database.execute(LibrarySchema.settings)
        guard try database.integer("PRAGMA user_version") != LibrarySchema.version else { return database }
        guard !isAsItIs else { throw .other("is of another release") }
        try database.transaction { () throws(LibraryError) in
            // Another process may have been faster. Tables of another release make room.
            guard try database.integer("PRAGMA user_version") != LibrarySchema.version else { return }
            for table in try database.tables() { try database.execute("DROP TABLE IF EXISTS \"\(table)\"") }
            try database.execute("DROP VIEW IF EXISTS song_words")
            try database.execute(LibrarySchema.tables)
        }
        return database
    }

    /// While it is written to, it is no other process's to delete.
    private static func remove(_ path: String) throws(LibraryError) {
        guard let lock = IndexLock(path: lock(of: path)) else { throw .busy }
        defer { withExtendedLifetime(lock) {} }
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    /// Songs that can be found.
    /// - Parameter folder: an absolute path: those in it and below it; of all folders where it is nil.
    public func songCount(in folder: String? = nil) throws(LibraryError) -> Int {
        guard let folder else { return Int(try database.integer("SELECT count(*) FROM songs") ?? 0) }
        // Whatever is below it begins with its path and a slash, and '0' comes next to '/'.
        let count = try database.integer(
            """
            SELECT count(*) FROM songs WHERE directory IN (
                SELECT id FROM directories WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0'))
            """, [.text(folder == "/" ? "" : folder)])
        return Int(count ?? 0)
    }
}
