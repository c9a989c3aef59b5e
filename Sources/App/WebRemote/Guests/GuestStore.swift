import TuttiRuntime

/// Where the guests of this machine are kept. Several processes may use it at once.
public protocol GuestStore: Sendable {
    /// Returns all guests, also those whose time is over. May wait for a disk.
    func guests() throws(MemoryFailure) -> [Guest]

    /// Another value whenever ``guests()`` may return something else. Cheap enough to be asked twice a second.
    var stamp: GuestStamp { get }
}

/// Which guests a store holds; to be compared, and nothing else.
public struct GuestStamp: Hashable, Sendable {
    private let numbers: [Int]

    /// - Parameter numbers: whatever the store tells versions apart by; none for an empty store.
    public init(_ numbers: [Int] = []) { self.numbers = numbers }
}
