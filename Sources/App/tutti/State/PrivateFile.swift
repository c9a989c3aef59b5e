import TuttiRuntime

/// A file of the state directory that holds a secret, for the user alone.
///
/// One that others may read or write, or that another user owns, is refused: its secret may be known, and whoever owns
/// it may change it. One that is damaged gets another name, or stays and is refused. Nothing is replaced silently.
struct PrivateFile: Sendable {
    /// What becomes of a file whose content makes no sense.
    enum Damage: Sendable {
        /// It gets another name, so that there is none. The text says what follows from that: the end of a sentence.
        case setAside(consequence: String)
        /// It stays, and is refused each time, since to go on without it would be dangerous. The text says what to do.
        case stays(advice: String)
    }

    let directory: StateDirectory
    let name: String
    /// The most bytes that it may have; a longer one is damaged.
    let byteCountLimit: Int
    let whenDamaged: Damage

    var path: String { directory.path(of: name) }

    /// Another value whenever the file may hold something else; nil while there is none. One call of `stat`.
    func version() -> StateFileStatus? { try? directory.status(of: name) }

    /// Returns what the file holds; nil if there is none.
    /// - Parameter decode: returns nil for bytes that make no sense.
    /// - Throws: ``PrivateFileError/damaged`` once, and then there is no file; or ``PrivateFileError/unusable`` each
    ///   time.
    func load<Content>(_ decode: ([UInt8]) -> Content?) throws(PrivateFileError) -> Content? {
        guard let bytes = try read() else { return nil }
        if let content = decode(bytes) { return content }
        return try exclusively { () throws(PrivateFileError) in try loadLocked(decode) }
    }

    /// The same for whoever holds the lock. Without it, the damaged file may be another one by now.
    func loadLocked<Content>(_ decode: ([UInt8]) -> Content?) throws(PrivateFileError) -> Content? {
        guard let bytes = try read() else { return nil }
        if let content = decode(bytes) { return content }
        switch whenDamaged {
        case .setAside(let consequence): throw .damaged(path: path, keptAs: try setAside(), consequence: consequence)
        case .stays(let advice): throw .unusable(path: path, advice: advice)
        }
    }

    /// Returns what the file holds, and changes nothing; nil if there is none.
    /// - Throws: ``PrivateFileError/unusable`` for a file that makes no sense, which stays where it is.
    func look<Content>(_ decode: ([UInt8]) -> Content?) throws(PrivateFileError) -> Content? {
        guard let bytes = try read() else { return nil }
        if let content = decode(bytes) { return content }
        switch whenDamaged {
        case .setAside: throw .unusable(path: path, advice: "the next command that needs it gives it another name")
        case .stays(let advice): throw .unusable(path: path, advice: advice)
        }
    }

    /// Gives the file another name; for whoever holds the lock.
    /// - Parameter mark: what the other name tells of it.
    /// - Returns: the path that it has now.
    func setAside(as mark: String = "damaged") throws(PrivateFileError) -> String {
        try system { () throws(StateError) in directory.path(of: try directory.setAside(name, as: mark)) }
    }

    /// Writes the file, to be read and written by the user alone.
    func write(_ bytes: [UInt8]) throws(PrivateFileError) {
        try system { () throws(StateError) in try directory.write(bytes, to: name) }
    }

    func remove() throws(PrivateFileError) {
        try system { () throws(StateError) in try directory.remove(name) }
    }

    /// Runs `body` under the directory's lock.
    func exclusively<Value>(_ body: () throws(PrivateFileError) -> Value) throws(PrivateFileError) -> Value {
        try system { () throws(StateError) in try directory.exclusively(body) }.get()
    }

    private func read() throws(PrivateFileError) -> [UInt8]? {
        let file: StateFile
        do throws(StateError) {
            // One byte more, so that a longer file is not taken for its beginning.
            guard let found = try directory.file(name, limit: byteCountLimit + 1) else { return nil }
            file = found
        } catch {
            // Another user's cannot be opened, if nobody else may read it.
            if let status = try? directory.status(of: name), !status.isOwn { throw .foreign(path: path) }
            throw .system(error)
        }
        guard file.status.isOwn else { throw .foreign(path: path) }
        guard file.status.isPrivate else { throw .exposed(path: path) }
        return file.bytes
    }

    private func system<Value>(_ body: () throws(StateError) -> Value) throws(PrivateFileError) -> Value {
        do throws(StateError) { return try body() } catch { throw .system(error) }
    }
}

/// Why a secret is not to be had from its file.
enum PrivateFileError: Error, Hashable {
    case system(StateError)
    /// Others may read or write it.
    case exposed(path: String)
    /// It is another user's.
    case foreign(path: String)
    /// Its content makes no sense, and it has another name now.
    case damaged(path: String, keptAs: String, consequence: String)
    /// Its content makes no sense, and it stays as it is.
    case unusable(path: String, advice: String)
}

extension PrivateFileError: CustomStringConvertible {
    /// One line that says what to do.
    var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .exposed(let path): "\(path) holds a secret that others may read or write: chmod 600 \(path.shellQuoted)"
        case .foreign(let path): "\(path) belongs to another user: sudo chown \"$(id -u)\" \(path.shellQuoted)"
        case .damaged(let path, let other, let consequence): "\(path) was damaged and is now \(other): \(consequence)"
        case .unusable(let path, let advice): "\(path) is damaged: \(advice)"
        }
    }
}

extension RuntimeFailure {
    /// Why a command ends that cannot do without the file.
    init(_ error: PrivateFileError) {
        let kind: Kind =
            switch error {
            case .exposed, .foreign, .unusable: .notAllowed
            case .damaged: .general
            case .system: .cannotCreate
            }
        self.init(kind, .other("\(error)"))
    }
}
