import Cryptography
import NIOCore
import SecureChannel

// How a machine without screen and keyboard comes into a household.
//
//     member                  the new machine            any member
//       ── invitation, a file ──▶
//                               ── request ─────────────▶   first of all, to whomever it meets
//                               ◀──────────── document ──   which lets it in
//
// The invitation is a key pair with a voucher, a member's word for it. Its key is never a member: it signs requests,
// and stands in the document only when it was used, as removed. So a member that has the document of after that lets
// nobody else in by it, and the removal makes a new secret like any other. Two members that do not know of each
// other's admission can each let one machine in. That cannot be helped without asking all of them, and both machines
// are in everybody's list as soon as members have met.
//
// Whoever has the file before it was used can come in: it is a secret. Its voucher is not, and is shown to whomever the
// new machine meets: household, name of it, key of the inviter, and when it ends.
//
// Its end is told by the clock of the member that lets in, and by nothing else. Who removes the inviter ends its
// invitations.

/// What a member gives to a new machine, once: the key of an invitation and the voucher for it. Secret.
public struct Invitation: Sendable {
    public let voucher: InvitationVoucher
    private let keys: PeerKeyPair

    /// Invites one machine.
    /// - Parameter end: in seconds since 1970.
    /// - Throws: ``InvitationError/notMember``.
    public init(to household: Household, until end: Int64, by inviter: PeerKeyPair) throws(InvitationError) {
        guard household.isMember(inviter.key) else { throw .notMember }
        keys = .random()
        voucher = InvitationVoucher(to: household, for: keys.signingKey, until: end, by: inviter)
    }

    /// What the new machine shows over one channel.
    /// - Parameter name: the new machine's.
    /// - Throws: if it can have no such name.
    public func request(
        for machine: PeerKeyPair, name: String, over binding: ChannelBinding
    ) throws(InvitationError) -> InvitationRequest {
        guard Household.isName(name) else { throw .household(.badName) }
        return InvitationRequest(voucher, signedBy: keys, for: machine.signingKey, name: name, over: binding)
    }

    /// Takes the document that came in response. It must be of the voucher's household and sent by a member of it, who
    /// invited must still be one, and it must let this machine in.
    public func household(
        decoding document: some ByteSource, from sender: PeerKey, for machine: PeerKey
    ) throws(InvitationError) -> Household {
        let household: Household
        do throws(HouseholdError) { household = try Household(decoding: document) } catch { throw .household(error) }
        guard household.id == voucher.household else { throw .otherHousehold }
        guard household.isMember(voucher.inviter.peerKey) else { throw .inviterIsNoMember }
        guard household.isMember(sender), household.isMember(machine) else { throw .notAdmitted }
        return household
    }
}

/// The file: three lines of text, so that whoever finds it knows what it is: the format, the voucher, and the seed of
/// the invitation's key, both in hexadecimal digits.
///
///     tutti invitation 1
///     01c7a1...
///     9d61b1...
extension Invitation {
    /// More bytes than a file has.
    public static let fileByteCountLimit = 1_024
    private static let header = Array("tutti invitation 1\n".utf8)

    public var fileText: SecretBytes {
        var buffer = ByteBuffer()
        voucher.write(to: &buffer)
        return SecretBytes(
            joining: [
                Self.header, buffer.readableBytesView.hexDigits, Self.newline, keys.seed.withBytes { $0.hexDigits },
                Self.newline,
            ])
    }

    /// Of a file written by anything else nothing is guessed: it is byte for byte what ``fileText`` gives.
    /// - Throws: if it is no invitation, or its key is not the voucher's, or the voucher not its inviter's.
    public init(fileText bytes: [UInt8]) throws(InvitationError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard bytes.count < Self.fileByteCountLimit, bytes.starts(with: Self.header), lines.count == 4,
            let voucherBytes = [UInt8](hexDigits: lines[1]), let seed = [UInt8](hexDigits: lines[2]),
            seed.count == PeerKeyPair.seedByteCount
        else { throw .malformed }
        var buffer = ByteBuffer(bytes: voucherBytes)
        guard let voucher = InvitationVoucher(from: &buffer), buffer.readableBytes == 0 else { throw .malformed }
        self.voucher = voucher
        keys = PeerKeyPair(seed: SecretBytes(copying: seed))
        guard fileText.matches(bytes) else { throw .malformed }
        guard keys.signingKey == voucher.key, voucher.isAuthentic else { throw .notAuthentic }
    }

    private static let newline = [UInt8(ascii: "\n")]
}
