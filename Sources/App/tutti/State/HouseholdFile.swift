import Households

/// The household's document in the state directory, for the user alone. It holds the secret.
///
/// Several processes of one user may change it. So each change reads, merges and writes under the directory's lock, and
/// whoever keeps a copy looks at ``version()`` from time to time.
struct HouseholdFile: Sendable {
    static let fileName = "household"

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: HouseholdLimits.documentByteCount,
            consequenceOfLoss: "this machine has no household until it is paired again")
    }

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> HouseholdFile? { StateDirectory.standard().map(HouseholdFile.init) }

    /// Another value whenever the file may hold something else; nil while there is none. One call of `stat`.
    func version() -> StateFileStatus? { file.version() }

    /// Returns the household; nil if there is none.
    func load() throws(PrivateFileError) -> Household? { try file.load(Self.household) }

    /// Makes a change, while no other process makes one, and stores what comes out.
    func update<Failure: Error>(
        _ change: (inout Household?) throws(Failure) -> Void
    ) throws(PrivateFileError) -> Result<Household?, Failure> {
        try file.exclusively { () throws(PrivateFileError) in
            let stored = try file.loadLocked(Self.household)
            var household = stored
            do throws(Failure) { try change(&household) } catch { return .failure(error) }
            if household != stored { try store(household) }
            return .success(household)
        }
    }

    private func store(_ household: Household?) throws(PrivateFileError) {
        guard let household else { return try file.remove() }
        try file.write(household.encoded().withBytes { Array($0) })
    }

    private static func household(_ bytes: [UInt8]) -> Household? { try? Household(decoding: bytes) }
}
