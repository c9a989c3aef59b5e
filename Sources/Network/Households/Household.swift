import Cryptography
import SecureChannel

// Who belongs together.
//
// Every member has the whole document, changes it without asking anybody, and merges it with that of each member it
// meets. So the document is a set of signed statements that only grows, and its merge is the union: whatever the order
// of meetings, all end with the same. Who is a member is a function of that set:
//
// - An admission is a member's word for a key. The founder's word for itself begins the household.
// - A removal is a member's word against a key, and holds for ever. So two removals at once both hold, even if each
//   removes the author of the other (``removals(by:)``).
//
// A removed key could still let in another key of its own, at a member that was away and does not know of the removal.
// So a removal says whom of those that the removed key let in its author knew, and these stay. A key is in if a chain
// of words joins it to the founder, where a removed key's word counts for those alone whom each removal of it keeps.
// Whoever is out without having been removed is an orphan, and the first member that sees it removes it for good.
// Whoever was let in shortly before, and not yet known to who removed, must be paired again, with a new key.
//
// The secret is made by one member and signed by it. It says which keys were removed by then: these were not given it,
// and anybody else may have been. So it is sound as long as everybody who is out is among these, and its maker is not
// out. Of several the one with the highest generation counts, among equals the one with the highest digest, and a
// merge keeps that one alone. If a merge makes it unsound, there is no secret until the next member makes one
// (``settle(by:)``), which all do at once; of these again one counts. Every removal makes a new one.
//
// A document goes only to a key that is a member in it, over a channel on which the other side has proved that key. So
// a member that was away gets the secret on its return, and a removed key does not, from anybody who knows of the
// removal.
//
// What this does not prevent: a member that turns bad, and a removed one at members that do not know of it yet or know
// of it since a moment ago, can remove others and fill the document.

/// A household: its members, who was removed, and the secret. A value without clock, file or network.
public struct Household: Sendable {
    public struct Member: Hashable, Sendable {
        public let key: SigningKey
        public let name: String

        public var peerKey: PeerKey { key.peerKey }
    }

    public let id: HouseholdID
    public let name: String
    let founder: SigningKey
    /// Random; makes the ``id`` of this household another than that of the founder's others.
    let number: Bytes32

    private(set) var admissions: [Admission.ID: Admission] = [:]
    private(set) var removals: [Removal.ID: Removal] = [:]
    /// The one with the highest generation, sound or not.
    private(set) var latestSecret: HouseholdSecret?

    /// By key, in ascending order.
    public private(set) var members: [Member] = []
    /// The secret that counts, known to no key that is out; nil until a member makes one.
    public private(set) var secret: HouseholdSecret?
    private(set) var membership = Membership()

    /// Founds a household with one member.
    /// - Parameter memberName: the founder's.
    public init(name: String, founder keys: PeerKeyPair, memberName: String) throws(HouseholdError) {
        guard Self.isName(name), Self.isName(memberName) else { throw .badName }
        self.init(name: name, founder: keys.signingKey, number: RandomNumbers.bytes32())
        insert(Admission(of: founder, name: memberName, by: keys, in: id))
        latestSecret = HouseholdSecret(generation: 1, withheld: [], by: keys, in: id)
        updateMembers()
    }

    /// A household without statements.
    init(name: String, founder: SigningKey, number: Bytes32) {
        self.name = name
        self.founder = founder
        self.number = number
        id = HouseholdID(name: name, founder: founder, number: number)
    }

    // MARK: Who is who

    public func isMember(_ key: PeerKey) -> Bool { membership.members.contains(key) }

    /// Whether a key belongs, or did until it was removed.
    func isJoined(_ key: PeerKey) -> Bool { membership.isJoined(key) }

    /// Keys that were removed, by whomever.
    var removedKeys: [PeerKey] { membership.removed.map(\.peerKey) }

    /// Returns whether the key was removed, or is out because nobody who stays gave its word for it.
    public func isOut(_ key: PeerKey) -> Bool { membership.out.contains { $0.peerKey == key } }

    /// Whether a member must call ``settle(by:)``: there is no secret, or somebody is out who was not removed.
    public var needsSettling: Bool { secret == nil || !membership.orphans.isEmpty }

    // MARK: Changes

    /// Lets a key in.
    public mutating func admit(_ key: SigningKey, name: String, by keys: PeerKeyPair) throws(HouseholdError) {
        guard Self.isName(name) else { throw .badName }
        guard isMember(keys.key) else { throw .notMember }
        guard !membership.isRemoved(key) else { throw .removedKey }
        guard !isMember(key.peerKey) else { return }
        try change { household in household.insert(Admission(of: key, name: name, by: keys, in: household.id)) }
    }

    /// Removes a key, and makes a new secret for those who stay. A member may remove itself; then the others make the
    /// secret. Removing a key that is out already changes nothing.
    public mutating func remove(_ key: SigningKey, by keys: PeerKeyPair) throws(HouseholdError) {
        guard isMember(keys.key) else { throw .notMember }
        guard !membership.isRemoved(key) else { return }
        try change { household in
            household.insertRemoval(of: key, by: keys)
            household.updateMembers()
            if household.isMember(keys.key) { household.renewSecret(by: keys) }
        }
    }

    /// Adds what another member's document says. Gives the same whatever the order of merges.
    public mutating func merge(_ other: Household) throws(HouseholdError) {
        guard id == other.id else { throw .otherHousehold }
        try change { household in
            for admission in other.admissions.values { household.insert(admission) }
            for removal in other.removals.values { household.insert(removal) }
            if let secret = other.latestSecret { household.insert(secret) }
        }
    }

    /// Removes those who are out without having been removed, and makes a new secret if there is none. To be called
    /// after a merge by whoever is still a member.
    /// - Returns: whether that changed the document, so that it must be sent again.
    public mutating func settle(by keys: PeerKeyPair) throws(HouseholdError) -> Bool {
        guard isMember(keys.key) else { throw .notMember }
        guard needsSettling else { return false }
        let before = self
        try change { household in
            for orphan in household.membership.orphans { household.insertRemoval(of: orphan, by: keys) }
            household.updateMembers()
            if household.secret == nil { household.renewSecret(by: keys) }
        }
        return self != before
    }

    // MARK: Statements

    /// Makes a change, unless it would make the document too large.
    mutating func change(
        _ body: (inout Household) throws(HouseholdError) -> Void
    ) throws(HouseholdError) {
        var changed = self
        try body(&changed)
        changed.updateMembers()
        guard changed.isWithinLimits else { throw .full }
        self = changed
    }

    private mutating func insertRemoval(of key: SigningKey, by keys: PeerKeyPair) {
        // Those who were removed, too: whom they let in may stay.
        let kept = admissions.keys.filter { word in
            let member = word.member.peerKey
            return word.sponsor.peerKey == key.peerKey && member != key.peerKey && membership.isJoined(member)
        }
        insert(Removal(of: key, keeping: kept.map(\.member.bytes), by: keys, in: id))
    }

    private mutating func renewSecret(by keys: PeerKeyPair) {
        let generation = latestSecret?.generation ?? 0
        // A member that turned bad left no number for another: then there is none, and all know each other by keys.
        guard generation < .max else { return }
        latestSecret = HouseholdSecret(
            generation: generation + 1, withheld: membership.removed.map(\.bytes), by: keys, in: id)
    }

    /// Of two different statements about the same, the one whose signature comes first stays: any rule would do that
    /// does not depend on the order.
    mutating func insert(_ admission: Admission) {
        guard let known = admissions[admission.id] else { return admissions[admission.id] = admission }
        if admission.signature.lexicographicallyPrecedes(known.signature) { admissions[admission.id] = admission }
    }

    mutating func insert(_ removal: Removal) {
        guard let known = removals[removal.id] else { return removals[removal.id] = removal }
        if removal.signature.lexicographicallyPrecedes(known.signature) { removals[removal.id] = removal }
    }

    mutating func insert(_ secret: HouseholdSecret) { latestSecret = latestSecret.map { max($0, secret) } ?? secret }

    mutating func updateMembers() {
        membership = Membership(
            founder: founder, admissions: Array(admissions.values), removals: Array(removals.values))
        secret = latestSecret.flatMap { isSound($0) ? $0 : nil }
        var known: [PeerKey: Member] = [:]
        for admission in admissions.values where membership.members.contains(admission.id.member.peerKey) {
            // Several may have let it in, under several names, and as either of two points.
            let member = Member(key: admission.id.member, name: admission.name)
            let other = known[member.peerKey] ?? member
            known[member.peerKey] = Member(key: min(member.key, other.key), name: min(member.name, other.name))
        }
        members = known.values.sorted { $0.key < $1.key }
    }

    private func isSound(_ secret: HouseholdSecret) -> Bool {
        guard isMember(secret.maker.peerKey) else { return false }
        let withheld = Set(secret.withheld)
        return membership.out.allSatisfy { withheld.contains($0.bytes) }
    }

    static func isName(_ name: String) -> Bool { (1...HouseholdLimits.nameByteCount).contains(name.utf8.count) }
}

extension Household: Equatable {
    public static func == (a: Household, b: Household) -> Bool {
        a.id == b.id && a.name == b.name && a.admissions == b.admissions && a.removals == b.removals
            && a.latestSecret == b.latestSecret
    }
}
