import Cryptography
import SecureChannel

/// This user's key in the state directory, for the user alone: the seed that all of a peer's keys follow from.
///
/// Three lines of text, so that whoever finds the file knows what it is: the format, the seed in hexadecimal digits,
/// and the peer's UUID. The UUID follows from the seed, and so tells when a digit is not what it was.
///
///     tutti key 1
///     9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
///     6b5a5fda-058a-87a1-a632-476c4c43c185
struct KeyFile: Sendable {
    static let fileName = "key"
    /// More than it has.
    private static let byteCountLimit = 128

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: Self.byteCountLimit,
            whenDamaged: .setAside(
                consequence: "other machines see this one as a new peer, and have to be paired with it again"))
    }

    /// Returns the keys, which are made if there are none.
    func keys() throws(PrivateFileError) -> PeerKeyPair {
        if let keys = try file.load(Self.keys) { return keys }
        return try file.exclusively { () throws(PrivateFileError) in
            // Another process may have been faster.
            if let keys = try file.loadLocked(Self.keys) { return keys }
            let keys = PeerKeyPair.random()
            try file.write(Self.text(of: keys))
            removeFormerIdentity()
            return keys
        }
    }

    /// Makes new keys, and gives the file of the former ones another name.
    /// - Returns: the path that it has now.
    func replace() throws(PrivateFileError) -> String {
        try file.exclusively { () throws(PrivateFileError) in
            let former = try file.setAside(as: "former")
            try file.write(Self.text(of: .random()))
            return former
        }
    }

    /// Of a file written by anything else nothing is guessed: it is byte for byte what ``text(of:)`` writes.
    private static func keys(_ text: [UInt8]) -> PeerKeyPair? {
        let digits = text.dropFirst(header.count).prefix(2 * PeerKeyPair.seedByteCount)
            .compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 2 * PeerKeyPair.seedByteCount else { return nil }
        let seed = SecretBytes(count: PeerKeyPair.seedByteCount) { memory in
            for index in memory.indices { memory[index] = UInt8(digits[2 * index] << 4 | digits[2 * index + 1]) }
        }
        let keys = PeerKeyPair(seed: seed)
        return Self.text(of: keys) == text ? keys : nil
    }

    private static func text(of keys: PeerKeyPair) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        let seed = keys.seed.withBytes { $0.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } }
        return header + seed + Array("\n\(keys.key.uuid)\n".utf8)
    }

    private static let header = Array("tutti key 1\n".utf8)

    /// Releases up to 0.2 kept a random UUID in a file of its own. Should it stay, nobody reads it.
    private func removeFormerIdentity() { try? file.directory.remove("identity") }
}
