import CSQLite

/// Why the index of music cannot be used.
public enum LibraryError: Error, Hashable, Sendable {
    /// SQLite is not installed.
    case noSQLite
    /// The file is no index, or a damaged one. It can be deleted, as it holds nothing that is not in the songs.
    case damaged
    /// Another process writes to it for longer than is waited for.
    case busy
    case diskFull
    /// The disk, or its quota, does not take it.
    case ioError
    /// The file, or its directory, cannot be written.
    case readOnly
    /// What SQLite says of it.
    case other(String)

    init(code: Int32, message: String) {
        switch Int(code) {
        case CSQLITE_CORRUPT, CSQLITE_NOTADB: self = .damaged
        case CSQLITE_BUSY: self = .busy
        case CSQLITE_FULL: self = .diskFull
        case CSQLITE_IOERR: self = .ioError
        case CSQLITE_READONLY, CSQLITE_CANTOPEN: self = .readOnly
        default: self = .other(message)
        }
    }
}
