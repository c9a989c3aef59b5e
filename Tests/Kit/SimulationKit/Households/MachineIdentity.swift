import Households
import SecureChannel

/// A machine's keys, and what it has stored of its household: both outlive its processes.
public final class MachineIdentity {
    public let keys: PeerKeyPair
    /// What is stored; nil in open mode.
    public private(set) var household: Household?
    /// Told of each household that is stored, by whomever.
    public var onStore: ((Household) -> Void)?
    /// Told of each document that was sent to a process of it, before that is judged.
    public var onDocument: (([UInt8]) -> Void)?
    /// Told of the name of each machine that a process of it lets in by an invitation, before that is stored.
    public var onInvited: ((String) -> Void)?
    /// Another number after each change, by which processes see that there was one.
    private(set) var version = 0

    public init(keys: PeerKeyPair) { self.keys = keys }

    public var key: PeerKey { keys.key }

    /// Stores another household, as its user told it to. Its processes see it within a second.
    public func store(_ household: Household?) {
        self.household = household
        version += 1
        if let household { onStore?(household) }
    }

    /// Stores what a process heard of from another member.
    func merge(_ other: Household) {
        guard var merged = household, merged.id == other.id, (try? merged.merge(other)) != nil else { return }
        store(merged)
    }
}
