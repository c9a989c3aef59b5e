import CSQLite

/// A connection to an SQLite database. Used by one thread at a time.
final class Database {
    /// How long another process's writing is waited for.
    private static let busyTime: Int32 = 5_000

    private let handle: OpaquePointer
    /// By their text. They are few, and used again and again.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a database, and makes the file if it is missing.
    /// - Parameter path: ":memory:" for one that nobody else sees, and that ends with this object.
    init(path: String) throws(LibraryError) {
        guard csqlite_load() else { throw .noSQLite }
        let flags = CSQLITE_OPEN_READWRITE | CSQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = csqlite_open(path, &handle, Int32(flags | CSQLITE_OPEN_NOMUTEX))
        guard let handle else { throw .other("there is no memory for it") }
        guard code == 0 else {
            let error = LibraryError(code: csqlite_errcode(handle), message: String(cString: csqlite_errmsg(handle)))
            csqlite_close(handle)
            throw error
        }
        self.handle = handle
        csqlite_busy_timeout(handle, Self.busyTime)
    }

    deinit {
        for statement in statements.values { csqlite_finalize(statement) }
        csqlite_close(handle)
    }

    /// Of the last row that was inserted.
    var lastRowID: Int64 { csqlite_last_insert_rowid(handle) }

    /// Runs statements without parameters and results, one after the other.
    func execute(_ script: String) throws(LibraryError) {
        let code: Int32 = script.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let next = rest, next.pointee != 0 {
                var statement: OpaquePointer?
                var code = csqlite_prepare(handle, next, &statement, &rest)
                guard code == 0 else { return code }
                // Nothing but space.
                guard let statement else { continue }
                repeat { code = csqlite_step(statement) } while Int(code) == CSQLITE_ROW
                csqlite_finalize(statement)
                guard Int(code) == CSQLITE_DONE else { return code }
            }
            return 0
        }
        guard code == 0 else { throw failure }
    }

    /// Runs a statement that gives no rows.
    func run(_ text: String, _ values: [SQLValue] = []) throws(LibraryError) {
        try query(text, values) { _ in true }
    }

    /// Runs a statement and passes its rows on, until there are no more or `take` returns false.
    /// - Parameter values: for the statement's question marks, in order.
    func query(_ text: String, _ values: [SQLValue] = [], _ take: (SQLRow) -> Bool) throws(LibraryError) {
        let statement = try statement(text)
        defer { csqlite_reset(statement) }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1), statement) }
        while true {
            switch Int(csqlite_step(statement)) {
            case CSQLITE_ROW: if !take(SQLRow(statement)) { return }
            case CSQLITE_DONE: return
            default: throw failure
            }
        }
    }

    /// The first column of the first row, a whole number; nil without a row.
    func integer(_ text: String, _ values: [SQLValue] = []) throws(LibraryError) -> Int64? {
        var result: Int64?
        try query(text, values) { row in
            result = row.integer(0)
            return false
        }
        return result
    }

    /// The names of the tables that are not part of others.
    func tables() throws(LibraryError) -> [String] {
        var names: [String] = []
        // Virtual ones first: they take their parts with them.
        try query(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC
            """
        ) { row in
            names.append(row.text(0))
            return true
        }
        return names
    }

    /// Makes all changes of `body`, or none if it fails.
    func transaction(_ body: () throws(LibraryError) -> Void) throws(LibraryError) {
        try execute("BEGIN IMMEDIATE")
        do throws(LibraryError) {
            try body()
            try execute("COMMIT")
        } catch {
            // After some errors SQLite has already taken all back.
            try? execute("ROLLBACK")
            throw error
        }
    }

    // MARK: Statements

    private var failure: LibraryError {
        LibraryError(code: csqlite_errcode(handle), message: String(cString: csqlite_errmsg(handle)))
    }

    private func statement(_ text: String) throws(LibraryError) -> OpaquePointer {
        if let known = statements[text] { return known }
        var statement: OpaquePointer?
        guard csqlite_prepare(handle, text, &statement, nil) == 0, let statement else { throw failure }
        statements[text] = statement
        return statement
    }

    private func bind(_ value: SQLValue, _ index: Int32, _ statement: OpaquePointer) throws(LibraryError) {
        let code =
            switch value {
            case .null: csqlite_bind_null(statement, index)
            case .integer(let number): csqlite_bind_int64(statement, index, number)
            case .text(let text): bind(text, index, statement)
            }
        guard code == 0 else { throw failure }
    }

    private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // SQLite takes a null pointer for NULL.
                guard let start = characters.baseAddress else { return csqlite_bind_text(statement, index, "", 0) }
                return csqlite_bind_text(statement, index, start, Int32(clamping: characters.count))
            }
        }
    }
}

/// A value for a statement's parameter.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)

    static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    static func optional(_ number: Int?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
    static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
    static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
}

/// A row of a result. Valid while it is passed on.
struct SQLRow {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

    func integer(_ column: Int32) -> Int64 { csqlite_column_int64(statement, column) }

    func optionalInteger(_ column: Int32) -> Int? {
        csqlite_column_is_null(statement, column) ? nil : Int(integer(column))
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        guard let start = csqlite_column_text(statement, column) else { return nil }
        let count = Int(csqlite_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
