import NIOCore
import SecureChannel

/// A member's word that a key belongs to the household.
struct Admission: Hashable, Sendable {
    /// What makes two admissions the same.
    struct ID: Hashable, Comparable, Sendable {
        var member: SigningKey
        var sponsor: SigningKey

        static func < (a: ID, b: ID) -> Bool { a.member != b.member ? a.member < b.member : a.sponsor < b.sponsor }
    }

    let id: ID
    let name: String
    let signature: [UInt8]

    init(of member: SigningKey, name: String, by sponsor: PeerKeyPair, in household: HouseholdID) {
        id = ID(member: member, sponsor: sponsor.signingKey)
        self.name = name
        signature = sponsor.signature(of: Self.message(id, name, household), for: .householdAdmission)
    }

    func isAuthentic(in household: HouseholdID) -> Bool {
        id.sponsor.isValid(signature, of: Self.message(id, name, household), for: .householdAdmission)
    }

    private static func message(_ id: ID, _ name: String, _ household: HouseholdID) -> [UInt8] {
        household.bytes.bytes + id.member.bytes.bytes + id.sponsor.bytes.bytes + Array(name.utf8)
    }
}

extension Admission {
    func write(to buffer: inout ByteBuffer) {
        buffer.writeKey(id.member)
        buffer.writeKey(id.sponsor)
        buffer.writeName(name)
        buffer.writeBytes(signature)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let member = buffer.readKey(), let sponsor = buffer.readKey(), let name = buffer.readName(),
            let signature = buffer.readSignature()
        else { return nil }
        id = ID(member: member, sponsor: sponsor)
        self.name = name
        self.signature = signature
    }
}
