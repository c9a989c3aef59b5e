import Cryptography

/// Somebody who has a code: what it lets them do, and until when.
public struct Guest: Sendable {
    /// The bytes of a key, and of the code that is made of it.
    public static let keyByteCount = 16

    /// For people: who was given the code.
    public let name: String
    /// Secret. It never travels: both sides prove that they have it.
    public let key: SecretBytes
    public let role: GuestRole
    /// In seconds since 1970; from then on the code is good for nothing.
    public let ends: Int64
    /// Which guest it is; tells nothing of the key.
    public let id: GuestID

    /// - Parameter key: ``keyByteCount`` bytes.
    public init(name: String, key: SecretBytes, role: GuestRole, ends: Int64) {
        precondition(key.count == Self.keyByteCount)
        self.name = name
        self.key = key
        self.role = role
        self.ends = ends
        id = GuestID(key)
    }

    /// A new one, with a key of its own.
    public init(name: String, role: GuestRole, ends: Int64) {
        self.init(name: name, key: .random(count: Self.keyByteCount), role: role, ends: ends)
    }

    /// What the guest is given, in an address' fragment.
    public var code: String { GuestCode.text(of: key) }

    /// - Parameter now: in seconds since 1970.
    public func isValid(at now: Int64) -> Bool { now < ends }
}

/// The first 6 bytes of SHA-256 of a guest's key.
public struct GuestID: Hashable, Sendable {
    static let byteCount = 6

    /// In lower-case hexadecimal digits.
    public let hex: String

    init(_ key: SecretBytes) {
        hex = String(decoding: Hashing.sha256(key).bytes.prefix(Self.byteCount).hexDigits, as: UTF8.self)
    }

    /// Returns nil unless these are 12 lower-case digits.
    public init?(hex: String) {
        guard hex.isLowerHex(digitCount: 2 * Self.byteCount) else { return nil }
        self.hex = hex
    }
}

extension String {
    /// Whether it is so many lower-case hexadecimal digits and nothing else.
    func isLowerHex(digitCount: Int) -> Bool {
        utf8.count == digitCount && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
