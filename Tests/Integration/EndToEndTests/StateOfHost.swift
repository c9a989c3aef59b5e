import Glibc
import Households
import SecureChannel
import Testing

/// The state directory of a host: what Tutti finds there, and leaves there.
struct StateOfHost {
    /// `XDG_STATE_HOME`.
    let path: String

    func write(_ keys: PeerKeyPair) throws {
        let digits = keys.seed.withBytes { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) } }
        try write(Array("tutti key 1\n\(digits.joined())\n\(keys.key.uuid)\n".utf8), to: "key")
    }

    func write(_ household: Household) throws {
        try write(household.encoded().withBytes { Array($0) }, to: "household")
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        for path in [path, path + "/tutti"] { mkdir(path, 0o700) }
        let file = open("\(path)/tutti/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer { close(file) }
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    /// What the host has stored; nil if nothing.
    func household() throws -> Household? {
        let file = open("\(path)/tutti/household", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: HouseholdLimits.documentByteCount)
        bytes.removeLast(bytes.count - max(0, read(file, &bytes, bytes.count)))
        return try Household(decoding: bytes)
    }
}
