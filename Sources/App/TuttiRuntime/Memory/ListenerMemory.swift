import Listening

/// A store of the numbers that listeners remember from run to run. Several processes may use it at once.
public protocol ListenerMemory: Sendable {
    /// Returns all records; none if it cannot be read.
    func load() -> [MemorySubject: MemoryRecord]

    /// Stores a record, or with nil deletes it. May wait for a disk, so call it only on threads that may block.
    /// - Returns: what was found damaged, and is kept aside with what could not be read of it; nil for nothing.
    @discardableResult
    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) -> MemoryDamage?
}

/// A file that was damaged, and has another name now. What could be read of it is in the new one.
public struct MemoryDamage: Hashable, Sendable {
    public let path: String
    public let keptAs: String

    public init(path: String, keptAs: String) {
        self.path = path
        self.keptAs = keptAs
    }
}

/// A failure to store anything: one sentence for people.
public struct MemoryFailure: Error, Hashable, Sendable {
    public var message: String

    public init(_ message: String) { self.message = message }
}
