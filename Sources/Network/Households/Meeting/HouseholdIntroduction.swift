import Cryptography
import NIOCore
import SecureChannel

/// What a peer says first of all over each encrypted channel, to show who it is beside its key.
///
/// | bytes | meaning |
/// |---|---|
/// | 64 | the ``HouseholdSign``; from a peer without a household random bytes, which look the same to strangers |
/// | the rest | what a new machine that was invited shows; from any other nothing |
struct HouseholdIntroduction {
    var sign: HouseholdSign
    var invitation: [UInt8] = []

    /// Of a peer without a household.
    static func random() -> HouseholdIntroduction {
        HouseholdIntroduction(
            sign: HouseholdSign(mark: RandomNumbers.bytes32(), proof: RandomNumbers.bytes32()))
    }

    func encoded() -> [UInt8] {
        var buffer = ByteBuffer()
        sign.write(to: &buffer)
        return Array(buffer.readableBytesView) + invitation
    }
}

extension HouseholdIntroduction {
    /// Returns nil if there are not enough bytes: the peer shows nothing.
    init?(decoding bytes: ByteBuffer) {
        var bytes = bytes
        guard let sign = HouseholdSign(from: &bytes) else { return nil }
        self.init(sign: sign, invitation: Array(bytes.readableBytesView))
    }
}
