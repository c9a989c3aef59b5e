import Cryptography
import SecureChannel

/// Stands for a household: a digest of its founder, its name and a random number. Statements are signed for one alone.
public struct HouseholdID: Hashable, Sendable, BitwiseCopyable {
    let bytes: Bytes32

    init(_ bytes: Bytes32) { self.bytes = bytes }

    init(name: String, founder: SigningKey, number: Bytes32) {
        bytes = Hashing.blake2b(Array("tutti household 1\0".utf8), founder.bytes, number, Array(name.utf8))
    }
}

extension HouseholdID: CustomStringConvertible {
    public var description: String { bytes.hex }
}
