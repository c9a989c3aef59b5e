import NIOCore
import SecureChannel

/// What a new machine shows to whomever it meets: the voucher, its own key and name, and a signature by the key of the
/// invitation, for one channel alone. So only whoever has the invitation can make one, and no other machine can show
/// it.
///
/// | bytes | meaning |
/// |---|---|
/// | | the ``InvitationVoucher`` |
/// | 32 | the new machine's key |
/// | 1 and so many | its name |
/// | 64 | signature by the invitation's key of the voucher's household, this key, this name and the channel's binding |
public struct InvitationRequest: Hashable, Sendable {
    public let voucher: InvitationVoucher
    /// The new machine's.
    let key: SigningKey
    let name: String
    private let signature: [UInt8]

    init(
        _ voucher: InvitationVoucher, signedBy invitation: PeerKeyPair, for key: SigningKey, name: String,
        over binding: ChannelBinding
    ) {
        self.voucher = voucher
        self.key = key
        self.name = name
        signature = invitation.signature(of: Self.message(voucher, key, name, binding), for: .householdRequest)
    }

    func isAuthentic(over binding: ChannelBinding) -> Bool {
        voucher.isAuthentic
            && voucher.key.isValid(signature, of: Self.message(voucher, key, name, binding), for: .householdRequest)
    }

    private static func message(
        _ voucher: InvitationVoucher, _ key: SigningKey, _ name: String, _ binding: ChannelBinding
    ) -> [UInt8] {
        voucher.household.bytes.bytes + key.bytes.bytes + binding.bytes.bytes + Array(name.utf8)
    }
}

extension InvitationRequest {
    /// At most ``HouseholdLimits/requestByteCount`` bytes.
    public func encoded() -> [UInt8] {
        var buffer = ByteBuffer()
        voucher.write(to: &buffer)
        buffer.writeKey(key)
        buffer.writeName(name)
        buffer.writeBytes(signature)
        return Array(buffer.readableBytesView)
    }

    /// Reads the layout alone.
    public init(decoding bytes: [UInt8]) throws(InvitationError) {
        guard bytes.count <= HouseholdLimits.requestByteCount else { throw .malformed }
        var buffer = ByteBuffer(bytes: bytes)
        guard let voucher = InvitationVoucher(from: &buffer), let key = buffer.readKey(), let name = buffer.readName(),
            let signature = buffer.readSignature(), buffer.readableBytes == 0
        else { throw .malformed }
        self.voucher = voucher
        self.key = key
        self.name = name
        self.signature = signature
    }
}
