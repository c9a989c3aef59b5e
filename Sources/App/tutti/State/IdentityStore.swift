import SecureChannel
import TuttiRuntime

/// The identity of this user's Tutti: a key made once and kept in the state directory.
///
/// All of a user's processes share it, however many start at the same moment. If it cannot be stored, this process gets
/// one of its own, with a warning.
struct IdentityStore: Sendable {
    struct Loaded {
        let identity: Identity
        let warnings: [String]
    }

    /// Nil if there is no directory to keep anything in.
    let directory: StateDirectory?
    let hostName: String

    static func standard() -> IdentityStore {
        IdentityStore(directory: .standard(), hostName: Identity.hostName)
    }

    /// Returns the identity of this process; its instance is new at each call.
    /// - Throws: if the household cannot be read: without it the machine would be open. And if somebody else may use
    ///   the key: to go on with it would be to share the identity, and to go on with another to lose what others know
    ///   of this machine.
    func identity() throws(RuntimeFailure) -> Loaded {
        var warnings: [String] = []
        let keys = try kept(&warnings, Self.keys) ?? PeerKeyPair.random()
        var identity = Identity(keys: keys, name: hostName)
        identity.household = try household()
        return Loaded(identity: identity, warnings: warnings)
    }

    /// The same for a process that changes nothing: no key is made, a damaged one stays where it is, and what others
    /// bring of the household is not stored. Without a key the process has one of its own.
    func look() throws(RuntimeFailure) -> Loaded {
        var warnings: [String] = []
        let keys = try kept(&warnings) { file, _ throws(PrivateFileError) in try file.existingKeys() }
        var identity = Identity(keys: keys ?? .random(), name: hostName)
        identity.household = try household { UnkeptHousehold(kept: $0) }
        return Loaded(identity: identity, warnings: warnings)
    }

    /// Returns nil if nothing can be kept.
    private func household(
        _ store: (HouseholdFile) -> any HouseholdStore = { $0 }
    ) throws(RuntimeFailure) -> StoredHousehold? {
        guard let directory else { return nil }
        do throws(MemoryFailure) {
            return try StoredHousehold(store(HouseholdFile(directory: directory)))
        } catch {
            throw RuntimeFailure(.notAllowed, .other(error.message))
        }
    }

    /// Returns nil if nothing is, or can be, kept.
    private func kept(
        _ warnings: inout [String], _ read: (KeyFile, inout [String]) throws(PrivateFileError) -> PeerKeyPair?
    ) throws(RuntimeFailure) -> PeerKeyPair? {
        let consequence = "this run has a key of its own, others see it as a new peer"
        guard let directory else {
            warnings.append("HOME is not set: \(consequence)")
            return nil
        }
        let file = KeyFile(directory: directory)
        do throws(PrivateFileError) {
            return try read(file, &warnings)
        } catch {
            switch error {
            case .exposed, .foreign: throw RuntimeFailure(.notAllowed, .other("\(error)"))
            case .system, .damaged, .unusable: warnings.append("\(error): \(consequence)")
            }
            return nil
        }
    }

    /// New ones, with a warning, if the file is damaged.
    private static func keys(_ file: KeyFile, _ warnings: inout [String]) throws(PrivateFileError) -> PeerKeyPair? {
        do throws(PrivateFileError) {
            return try file.keys()
        } catch {
            guard case .damaged = error else { throw error }
            warnings.append("\(error)")
            return try file.keys()
        }
    }
}
