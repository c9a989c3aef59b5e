import Households

/// This machine's household when a process began, and where it is kept.
public struct StoredHousehold: Sendable {
    /// Nil in open mode.
    public let household: Household?
    public let store: any HouseholdStore
    /// Of ``household``, or of one before it; nil where that is not known.
    let version: HouseholdVersion?

    public init(_ household: Household?, in store: any HouseholdStore) {
        self.household = household
        self.store = store
        version = nil
    }

    /// Loads it. May wait for a disk.
    /// - Throws: if it cannot be read: then nobody knows whether the machine is open.
    public init(_ store: any HouseholdStore) throws(MemoryFailure) {
        // First, so that whatever changes while it is loaded, or before it is used, is seen.
        version = store.version()
        household = try store.load()
        self.store = store
    }
}
