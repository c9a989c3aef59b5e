import Cryptography
import NIOCore
import SecureChannel

/// A member's word that a key no longer belongs to the household, for ever.
struct Removal: Hashable, Sendable {
    struct ID: Hashable, Comparable, Sendable {
        var removed: SigningKey
        var author: SigningKey

        static func < (a: ID, b: ID) -> Bool { a.removed != b.removed ? a.removed < b.removed : a.author < b.author }
    }

    let id: ID
    /// Whom the removed key let in and who stays, in ascending order: those whom the author knew.
    let kept: [Bytes32]
    let signature: [UInt8]

    init(of removed: SigningKey, keeping kept: [Bytes32], by author: PeerKeyPair, in household: HouseholdID) {
        id = ID(removed: removed, author: author.signingKey)
        self.kept = kept.sorted()
        signature = author.signature(of: Self.message(id, self.kept, household), for: .householdRemoval)
    }

    func isAuthentic(in household: HouseholdID) -> Bool {
        id.author.isValid(signature, of: Self.message(id, kept, household), for: .householdRemoval)
    }

    private static func message(_ id: ID, _ kept: [Bytes32], _ household: HouseholdID) -> [UInt8] {
        household.bytes.bytes + id.removed.bytes.bytes + id.author.bytes.bytes + kept.flatMap(\.bytes)
    }
}

extension Removal {
    func write(to buffer: inout ByteBuffer) {
        buffer.writeKey(id.removed)
        buffer.writeKey(id.author)
        buffer.writeList(kept)
        buffer.writeBytes(signature)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let removed = buffer.readKey(), let author = buffer.readKey(),
            let kept = buffer.readList(limit: HouseholdLimits.admissionCount), let signature = buffer.readSignature()
        else { return nil }
        id = ID(removed: removed, author: author)
        self.kept = kept
        self.signature = signature
    }
}
