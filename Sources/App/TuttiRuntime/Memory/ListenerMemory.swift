import Listening

/// A store of the numbers that listeners remember from run to run. Several processes may use it at once.
public protocol ListenerMemory: Sendable {
    /// Returns what is stored, as far as it makes sense.
    /// - Throws: if it cannot be read.
    func load() throws(MemoryFailure) -> MemoryContents

    /// Stores a record, or with nil deletes it. May wait for a disk, so call it only on threads that may block.
    /// - Returns: what was found damaged, and is kept aside with what could not be read of it; nil for nothing.
    @discardableResult
    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure) -> MemoryDamage?
}

/// What a listener's memory holds.
public struct MemoryContents: Hashable, Sendable {
    public var records: [MemorySubject: MemoryRecord]
    /// Why some records are left out; nil if none are.
    public var damage: MemoryDamage?

    public init(records: [MemorySubject: MemoryRecord] = [:], damage: MemoryDamage? = nil) {
        self.records = records
        self.damage = damage
    }
}

/// A file of which a part makes no sense.
public struct MemoryDamage: Hashable, Sendable {
    public let path: String
    /// The name that it has now, while a new file holds what could be read of it; nil until anything is stored.
    public let keptAs: String?

    public init(path: String, keptAs: String? = nil) {
        self.path = path
        self.keptAs = keptAs
    }
}

/// A failure to store or read anything: one sentence for people.
public struct MemoryFailure: Error, Hashable, Sendable {
    public var message: String

    public init(_ message: String) { self.message = message }
}
