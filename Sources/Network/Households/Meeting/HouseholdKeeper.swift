import AudioCore
import Cryptography
import SecureChannel

// How members come to have the same document.
//
//     each  ──── sign, 64 bytes ────▶  the other     first of all, to whomever
//     each  ──── document ──────────▶  the other     if the signs show that the documents differ
//     either ─── document ──────────▶  the other     if its own says more than what it was sent
//
// With its sign a member tells another one whom it removed itself. That counts also from one that is out since a moment
// ago (``Household/removals(by:)``).
//
// A document goes only to a key that is a member in it, and never to this machine's own: its processes share what is
// stored. One is taken from such a key, and also from a key that has shown that it knows the secret: it was let in
// while this machine was away. What it sends is read like anything that strangers send, as every statement is signed.
//
// Whoever was let in while a member was away, and meets it after somebody was removed, is unknown to it: the member
// does not have the secret of after the removal. It hears of both from any member that it knows.
//
// Merges only add, so this ends: each document that is sent says more than the last one in that direction.

/// One machine's part in its household: what it answers to those that it meets, and what it makes of what they say.
///
/// A value without file and network. The owner stores ``household`` after each change, and offers it to all connections
/// with ``document(for:)``.
public struct HouseholdKeeper: Sendable {
    public let keys: PeerKeyPair
    /// Nil in open mode.
    public private(set) var household: Household?
    /// Of the document. It takes a pass over all of it.
    private var digest: Bytes32?
    private var hearings = RemovalHearings()

    public init(keys: PeerKeyPair, household: Household? = nil) {
        self.keys = keys
        self.household = household
        digest = household?.digest
    }

    /// Whether this machine belongs to a household, and was not removed.
    public var isMember: Bool { household?.isMember(keys.key) ?? false }

    /// What the peer is to this machine, as far as it is known over this channel.
    public func standing(in meeting: HouseholdMeeting) -> PeerStanding {
        if meeting.remoteKey == keys.key { return .thisMachine }
        guard let household else { return .stranger }
        if household.isOut(meeting.remoteKey) { return .removed }
        guard isMember else { return .stranger }
        let hasProof = meeting.provenSecretDigest != nil && meeting.provenSecretDigest == household.secret?.digest
        return household.isMember(meeting.remoteKey) || hasProof ? .member : .stranger
    }

    /// What the holder of a key is by the document alone; nil if that says nothing of it.
    public func standing(of key: PeerKey) -> PeerStanding? {
        if key == keys.key { return .thisMachine }
        guard let household else { return nil }
        if household.isOut(key) { return .removed }
        guard isMember else { return .stranger }
        return household.isMember(key) ? .member : nil
    }

    // MARK: Meetings

    /// What to say first; nil in open mode, and after this machine was removed.
    public func sign(for meeting: HouseholdMeeting) -> HouseholdSign? {
        guard isMember, let digest, let secret = household?.secret,
            let proof = Bytes32(secret.proof(over: meeting.binding, by: keys.key))
        else { return nil }
        return HouseholdSign(mark: HouseholdSign.mark(of: digest, over: meeting.binding, by: keys.key), proof: proof)
    }

    /// Takes what the other side said first.
    /// - Returns: the document to send; nil for a stranger, and where both are the same.
    public func receive(_ sign: HouseholdSign, in meeting: inout HouseholdMeeting) -> SecretBytes? {
        guard isMember, let household, let digest, !household.isOut(meeting.remoteKey) else { return nil }
        if let secret = household.secret,
            secret.isProof(sign.proof.bytes, over: meeting.binding, by: meeting.remoteKey)
        {
            meeting.provenSecretDigest = secret.digest
        }
        if sign.mark == HouseholdSign.mark(of: digest, over: meeting.binding, by: meeting.remoteKey) {
            meeting.theirDigest = digest
        }
        return document(for: &meeting)
    }

    /// What to do after another member's document was read.
    public struct Reception: Sendable {
        /// To be sent to it, as it lacks something.
        public let answer: SecretBytes?
        /// ``HouseholdKeeper/household`` is another one than before.
        public let isChanged: Bool
    }

    /// Takes the document that a member sent, and settles what a merge may leave open.
    /// - Throws: ``HouseholdError/notMember`` if the sender is none. After any error nothing has changed.
    public mutating func receive(
        document bytes: some ByteSource, in meeting: inout HouseholdMeeting, now: HostTime
    ) throws(HouseholdError) -> Reception {
        guard var merged = household, standing(in: meeting) == .member else { throw .notMember }
        let theirs = try Household(decoding: bytes)
        try merged.merge(theirs)
        let isChanged = try settle(&merged, now: now)
        meeting.theirDigest = theirs.digest
        return Reception(answer: document(for: &meeting), isChanged: isChanged)
    }

    /// - Returns: whether ``household`` is another one than before.
    private mutating func settle(_ merged: inout Household, now: HostTime) throws(HouseholdError) -> Bool {
        if merged.isMember(keys.key) { _ = try merged.settle(by: keys) }
        guard merged != household else { return false }
        set(merged, now: now)
        return true
    }

    /// Returns the document if the other side is another member, and does not have it yet. It is then taken to be sent.
    public func document(for meeting: inout HouseholdMeeting) -> SecretBytes? {
        guard isMember, let household, let digest, meeting.remoteKey != keys.key,
            household.isMember(meeting.remoteKey), meeting.theirDigest != digest
        else { return nil }
        meeting.theirDigest = digest
        return household.encoded()
    }

    // MARK: Last words

    /// Returns what this machine tells another member of whom it removed itself.
    func lastWords(to meeting: HouseholdMeeting) -> [Removal] {
        guard let household, meeting.remoteKey != keys.key, household.isMember(meeting.remoteKey) else { return [] }
        return household.removals(by: keys.key)
    }

    /// What became of a peer's last words.
    struct Hearing {
        /// ``HouseholdKeeper/household`` is another one than before.
        var isChanged = false
        /// Nobody whom they are against is a member.
        var isHeard = false
    }

    /// Takes whom a peer removed itself, if it is a member, or was until a moment ago.
    mutating func receive(
        lastWords bytes: [UInt8], in meeting: HouseholdMeeting, now: HostTime
    ) throws(HouseholdError) -> Hearing {
        let key = meeting.remoteKey
        guard isMember, key != keys.key, var merged = household,
            merged.isMember(key) || hearings.isRecent(key, now: now),
            let removals = [Removal](lastWords: bytes), !removals.isEmpty
        else { return Hearing() }
        try merged.take(removals, from: key)
        return Hearing(
            isChanged: try settle(&merged, now: now),
            isHeard: removals.allSatisfy { !merged.isMember($0.id.removed.peerKey) })
    }

    // MARK: Other processes of this machine

    /// Takes the document that is stored now: another process may have changed it. One of the same household is merged,
    /// so that nothing is lost which could not be stored; any other replaces this one.
    /// - Returns: whether anything changed.
    public mutating func adopt(_ stored: Household?, now: HostTime) throws(HouseholdError) -> Bool {
        var next = stored
        if let household, stored?.id == household.id { try next?.merge(household) }
        guard next != household else { return false }
        set(next, now: now)
        return true
    }

    mutating func set(_ household: Household?, now: HostTime) {
        hearings.note(household, after: self.household, now: now)
        self.household = household
        digest = household?.digest
    }
}
