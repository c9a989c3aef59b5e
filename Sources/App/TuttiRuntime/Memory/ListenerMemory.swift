import Listening

/// A store of the numbers that listeners remember from run to run. Several processes may use it at once.
public protocol ListenerMemory: Sendable {
    /// Returns all records; none if it cannot be read.
    func load() -> [MemorySubject: MemoryRecord]

    /// Stores a record, or with nil deletes it. May wait for a disk, so call it only on threads that may block.
    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure)
}

/// A failure to store anything: one sentence for people.
public struct MemoryFailure: Error, Hashable, Sendable {
    public var message: String

    public init(_ message: String) { self.message = message }
}
