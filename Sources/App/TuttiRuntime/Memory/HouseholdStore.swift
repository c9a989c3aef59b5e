import Households

/// A store of the household that this machine belongs to. Several processes may use it at once.
///
/// Each method may wait for a disk, so call them only on threads that may block.
public protocol HouseholdStore: Sendable {
    /// Returns nil if this machine has no household.
    func load() throws(MemoryFailure) -> Household?

    /// Makes a change, while no other process makes one. If it throws, nothing has changed.
    /// - Returns: what is stored then.
    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(HouseholdChangeFailure) -> Household?
}

/// Why a household was not changed.
public enum HouseholdChangeFailure: Error, Hashable, Sendable {
    /// The change itself is not possible.
    case household(HouseholdError)
    case store(MemoryFailure)
}
