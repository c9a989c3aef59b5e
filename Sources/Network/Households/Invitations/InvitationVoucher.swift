import NIOCore
import SecureChannel

/// A member's word that whoever has a key, the invitation's own, may come into the household with one machine.
///
/// | bytes | meaning |
/// |---|---|
/// | 1 | version: 1 |
/// | 32 | household |
/// | 1 and so many | household's name |
/// | 32 | the invitation's key |
/// | 8 | when it ends, in seconds since 1970 |
/// | 32 | the inviter's key |
/// | 64 | the inviter's signature of all this |
public struct InvitationVoucher: Hashable, Sendable {
    private static let version: UInt8 = 1

    public let household: HouseholdID
    /// For people.
    public let householdName: String
    /// Made for this invitation alone. It is never a member.
    let key: SigningKey
    /// In seconds since 1970.
    public let end: Int64
    let inviter: SigningKey
    private let signature: [UInt8]

    init(to household: Household, for key: SigningKey, until end: Int64, by inviter: PeerKeyPair) {
        self.household = household.id
        householdName = household.name
        self.key = key
        self.end = end
        self.inviter = inviter.signingKey
        let unsigned = Self.message(household.id, household.name, key, end, inviter.signingKey)
        signature = inviter.signature(of: unsigned, for: .householdVoucher)
    }

    var isAuthentic: Bool {
        inviter.isValid(
            signature, of: Self.message(household, householdName, key, end, inviter), for: .householdVoucher)
    }

    /// Whether it no longer holds.
    public func isOver(at unixTime: Int64) -> Bool { unixTime >= end }

    /// What is signed: all that is written before the signature.
    private static func message(
        _ household: HouseholdID, _ name: String, _ key: SigningKey, _ end: Int64, _ inviter: SigningKey
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        write(household, name, key, end, inviter, to: &buffer)
        return Array(buffer.readableBytesView)
    }

    private static func write(
        _ household: HouseholdID, _ name: String, _ key: SigningKey, _ end: Int64, _ inviter: SigningKey,
        to buffer: inout ByteBuffer
    ) {
        buffer.writeInteger(version)
        buffer.writeBytes32(household.bytes)
        buffer.writeName(name)
        buffer.writeKey(key)
        buffer.writeInteger(end)
        buffer.writeKey(inviter)
    }
}

extension InvitationVoucher {
    func write(to buffer: inout ByteBuffer) {
        Self.write(household, householdName, key, end, inviter, to: &buffer)
        buffer.writeBytes(signature)
    }

    /// Reads the layout alone.
    init?(from buffer: inout ByteBuffer) {
        guard buffer.readInteger(as: UInt8.self) == Self.version, let household = buffer.readBytes32(),
            let name = buffer.readName(), let key = buffer.readKey(), let end = buffer.readInteger(as: Int64.self),
            let inviter = buffer.readKey(), let signature = buffer.readSignature()
        else { return nil }
        self.household = HouseholdID(household)
        householdName = name
        self.key = key
        self.end = end
        self.inviter = inviter
        self.signature = signature
    }
}
