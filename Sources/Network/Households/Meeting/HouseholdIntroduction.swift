import Cryptography
import NIOCore
import SecureChannel

/// What a peer says first of all over each encrypted channel, to show who it is beside its key.
///
/// | bytes | meaning |
/// |---|---|
/// | 64 | the ``HouseholdSign``; from a peer without a household random bytes, which look the same to strangers |
/// | the rest | an ``InvitationRequest``; or 2, and the removals that a member tells another; or nothing |
struct HouseholdIntroduction {
    enum Claim: Hashable {
        case none
        /// Of a new machine that was invited: an encoded request.
        case invitation([UInt8])
        /// Of a member to another: whom it removed itself. Not read yet: that takes time, and strangers may say it.
        case removals([UInt8])
    }

    var sign: HouseholdSign
    var claim = Claim.none

    /// The first byte of removals: an invitation's is another one.
    private static let removalsKind: UInt8 = 2

    /// Of a peer without a household.
    static func random() -> HouseholdIntroduction {
        HouseholdIntroduction(
            sign: HouseholdSign(mark: RandomNumbers.bytes32(), proof: RandomNumbers.bytes32()))
    }

    func encoded() -> [UInt8] {
        var buffer = ByteBuffer()
        sign.write(to: &buffer)
        switch claim {
        case .none: break
        case .invitation(let request): buffer.writeBytes(request)
        case .removals(let removals):
            buffer.writeInteger(Self.removalsKind)
            buffer.writeBytes(removals)
        }
        return Array(buffer.readableBytesView)
    }
}

extension HouseholdIntroduction {
    /// Returns nil if there are not enough bytes: the peer shows nothing. A claim that makes no sense is none.
    init?(decoding bytes: ByteBuffer) {
        var bytes = bytes
        guard let sign = HouseholdSign(from: &bytes) else { return nil }
        self.init(sign: sign)
        guard bytes.readableBytes > 0 else { return }
        guard bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == Self.removalsKind else {
            claim = .invitation(Array(bytes.readableBytesView))
            return
        }
        bytes.moveReaderIndex(forwardBy: 1)
        claim = .removals(Array(bytes.readableBytesView))
    }
}

/// A member's removals as its introduction has them, one behind the other.
extension [Removal] {
    /// Those that would make it too long are left out: members hear of these from a document.
    func encodedLastWords() -> [UInt8] {
        var buffer = ByteBuffer()
        for removal in self {
            var one = ByteBuffer()
            removal.write(to: &one)
            guard buffer.readableBytes + one.readableBytes <= HouseholdLimits.lastWordsByteCount else { continue }
            buffer.writeImmutableBuffer(one)
        }
        return Array<UInt8>(buffer.readableBytesView)
    }

    /// Returns nil for what makes no sense.
    init?(lastWords bytes: [UInt8]) {
        guard bytes.count <= HouseholdLimits.lastWordsByteCount else { return nil }
        self.init()
        var buffer = ByteBuffer(bytes: bytes)
        while buffer.readableBytes > 0 {
            guard let removal = Removal(from: &buffer) else { return nil }
            append(removal)
        }
    }
}
