import Households

/// A store of this machine's household. Several processes may use it at once.
///
/// A household that cannot be read is an error, and never none: without one a machine is open to everybody. Except
/// ``version()``, each method may wait for a disk, so call them only on threads that may block.
public protocol HouseholdStore: Sendable {
    /// Returns the household; nil if there is none.
    func load() throws(MemoryFailure) -> Household?

    /// Changes what is stored, while no other process does. If `body` throws, nothing is changed.
    /// - Returns: what is stored then, or what `body` threw.
    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(MemoryFailure) -> Result<Household?, HouseholdError>

    /// Returns another value whenever ``load()`` may return something else. Cheap enough to be asked every second.
    func version() -> HouseholdVersion
}

/// Which household a store holds; to be compared, and nothing else.
public struct HouseholdVersion: Hashable, Sendable {
    private let numbers: [Int]

    /// - Parameter numbers: whatever the store tells versions apart by; none for an empty store.
    public init(_ numbers: [Int] = []) { self.numbers = numbers }
}
