import Households
import TuttiRuntime

/// The household's document in the state directory, for the user alone. It holds the secret.
///
/// Several processes of one user may change it. So each change reads, merges and writes under the directory's lock, and
/// whoever keeps a copy looks at ``version()`` from time to time.
///
/// A damaged one stays where it is: were it set aside, the next start would find none, and the machine would be open to
/// everybody.
struct HouseholdFile: Sendable {
    static let fileName = "household"

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: HouseholdLimits.documentByteCount,
            whenDamaged: .stays(
                advice: "'tutti household leave' keeps it under another name and begins anew, or restore a copy of it"))
    }

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> HouseholdFile? { StateDirectory.standard().map(HouseholdFile.init) }

    /// Returns the household; nil if there is none.
    func household() throws(PrivateFileError) -> Household? { try file.load(Self.household) }

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

    /// Gives the file another name if it is damaged: then there is no household.
    /// - Returns: the path that it has now; nil if it is not damaged.
    func setAsideDamaged() throws(PrivateFileError) -> String? {
        try file.exclusively { () throws(PrivateFileError) in
            do throws(PrivateFileError) {
                _ = try file.loadLocked(Self.household)
                return nil
            } catch {
                guard case .unusable = error else { throw error }
                return try file.setAside()
            }
        }
    }

    private func store(_ household: Household?) throws(PrivateFileError) {
        guard let household else { return try file.remove() }
        try file.write(household.encoded().withBytes { Array($0) })
    }

    private static func household(_ bytes: [UInt8]) -> Household? { try? Household(decoding: bytes) }
}

extension HouseholdFile: HouseholdStore {
    func load() throws(MemoryFailure) -> Household? {
        do throws(PrivateFileError) { return try household() } catch { throw MemoryFailure("\(error)") }
    }

    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(MemoryFailure) -> Result<Household?, HouseholdError> {
        do throws(PrivateFileError) { return try update(body) } catch { throw MemoryFailure("\(error)") }
    }

    /// One call of `stat`.
    func version() -> HouseholdVersion { HouseholdVersion(file.version()?.version ?? []) }
}
