import Households

/// The household's document in the state directory, for the user alone. It holds the secret.
///
/// Several processes of one user may change it. So each change reads, merges and writes under the directory's lock, and
/// whoever keeps a copy looks at ``version()`` from time to time.
struct HouseholdFile: Sendable {
    static let fileName = "household"

    let directory: StateDirectory

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> HouseholdFile? { StateDirectory.standard().map(HouseholdFile.init) }

    private var path: String { directory.path(of: Self.fileName) }

    /// Another value whenever the file may hold something else; nil while there is none. One call of `stat`.
    func version() -> StateFileStatus? { try? directory.status(of: Self.fileName) }

    /// Returns the household; nil if there is none.
    ///
    /// A file that holds no document is renamed, and told of: nothing replaces it silently.
    func load() throws(HouseholdFileError) -> Household? {
        guard let bytes = try read() else { return nil }
        if let household = try? Household(decoding: bytes) { return household }
        return try locked { () throws(HouseholdFileError) in try contents() }
    }

    /// Makes a change, while no other process makes one, and stores what comes out.
    func update<Failure: Error>(
        _ change: (inout Household?) throws(Failure) -> Void
    ) throws(HouseholdFileError) -> Result<Household?, Failure> {
        try locked { () throws(HouseholdFileError) in
            let stored = try contents()
            var household = stored
            do throws(Failure) { try change(&household) } catch { return .failure(error) }
            if household != stored { try store(household) }
            return .success(household)
        }
    }

    /// To be called under the lock: another process may have replaced what was damaged.
    private func contents() throws(HouseholdFileError) -> Household? {
        guard let bytes = try read() else { return nil }
        if let household = try? Household(decoding: bytes) { return household }
        let other = try system { () throws(StateError) in try directory.setAside(Self.fileName) }
        throw .damaged(path: path, keptAs: directory.path(of: other))
    }

    private func store(_ household: Household?) throws(HouseholdFileError) {
        try system { () throws(StateError) in
            guard let household else { return try directory.remove(Self.fileName) }
            try directory.write(household.encoded().withBytes { Array($0) }, to: Self.fileName)
        }
    }

    private func read() throws(HouseholdFileError) -> [UInt8]? {
        guard let status = try system({ () throws(StateError) in try directory.status(of: Self.fileName) }) else {
            return nil
        }
        guard status.isOwn else { throw .foreign(path: path) }
        guard status.isPrivate else { throw .readable(path: path) }
        // One byte more, so that a longer file is not taken for its beginning.
        return try system { () throws(StateError) in
            try directory.read(Self.fileName, limit: HouseholdLimits.documentByteCount + 1)
        }
    }

    private func locked<Value>(
        _ body: () throws(HouseholdFileError) -> Value
    ) throws(HouseholdFileError) -> Value {
        let result = try system { () throws(StateError) in
            try directory.exclusively { () throws(StateError) in
                do throws(HouseholdFileError) {
                    return Result<Value, HouseholdFileError>.success(try body())
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private func system<Value>(_ body: () throws(StateError) -> Value) throws(HouseholdFileError) -> Value {
        do throws(StateError) { return try body() } catch { throw .system(error) }
    }
}

/// Why the household's file is of no use.
enum HouseholdFileError: Error, Hashable {
    case system(StateError)
    /// Others may read or write it.
    case readable(path: String)
    /// It is another user's.
    case foreign(path: String)
    /// It holds no document, and has another name now.
    case damaged(path: String, keptAs: String)
}

extension HouseholdFileError: CustomStringConvertible {
    /// One line that says what to do.
    var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .readable(let path): "\(path) holds a secret that others may read: chmod 600 '\(path)'"
        case .foreign(let path): "\(path) belongs to another user: chown \"$(id -u)\" '\(path)'"
        case .damaged(let path, let other):
            "\(path) was damaged and is now \(other): this machine has no household until it is paired again"
        }
    }
}
