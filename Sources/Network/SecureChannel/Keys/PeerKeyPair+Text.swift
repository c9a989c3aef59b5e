import Cryptography

/// The seed as text to be stored: three lines, so that whoever finds them knows what they are: the format, the seed in
/// hexadecimal digits, and the peer's UUID. The UUID follows from the seed, and so tells when a digit is not what it
/// was.
///
///     tutti key 1
///     9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
///     6b5a5fda-058a-87a1-a632-476c4c43c185
extension PeerKeyPair {
    /// Of a text written by anything else nothing is guessed: it is byte for byte what ``text`` gives.
    package init?(text: [UInt8]) {
        let digits = text.dropFirst(Self.header.count).prefix(2 * Self.seedByteCount)
        guard digits.count == 2 * Self.seedByteCount, let seed = [UInt8](hexDigits: digits) else { return nil }
        self.init(seed: SecretBytes(copying: seed))
        guard self.text == text else { return nil }
    }

    package var text: [UInt8] {
        Self.header + seed.withBytes { $0.hexDigits } + Array("\n\(key.uuid)\n".utf8)
    }

    private static let header = Array("tutti key 1\n".utf8)
}
