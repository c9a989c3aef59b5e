import Cryptography

/// The Ed25519 public key of a peer: what it signs is checked with it, and its ``PeerKey`` follows from it.
///
/// Both keys have one seed, and the X25519 key is that of the same point on the other curve. So nobody has to vouch
/// that they belong together. A signature and an agreement of one key tell nothing about each other (Thormarker, "On
/// using the same key pair for Ed25519 and an X25519 based KEM", 2021). Two signing keys, a point and its negative,
/// have the same ``peerKey``; both need the same secret.
public struct SigningKey: Hashable, Sendable {
    public let bytes: Bytes32
    public let peerKey: PeerKey

    /// Returns nil if the bytes are no point of the group.
    public init?(_ bytes: Bytes32) {
        guard let agreementKey = Ed25519.agreementKey(of: bytes) else { return nil }
        self.bytes = bytes
        peerKey = PeerKey(agreementKey)
    }

    /// Returns whether whoever has this key signed the message for this purpose.
    public func isValid(_ signature: [UInt8], of message: [UInt8], for purpose: SigningPurpose) -> Bool {
        Ed25519.isValid(signature, of: purpose.prefix + message, by: bytes)
    }
}

extension SigningKey: Comparable {
    public static func < (a: SigningKey, b: SigningKey) -> Bool { a.bytes < b.bytes }
}

extension SigningKey: CustomStringConvertible {
    public var description: String { bytes.hex }
}

/// What a signature is for. It is signed too, so that no signature counts for something else.
public enum SigningPurpose: String, Sendable {
    case householdAdmission = "tutti household admission 1"
    case householdRemoval = "tutti household removal 1"
    case householdSecret = "tutti household secret 1"
    case householdVoucher = "tutti household voucher 1"
    case householdRequest = "tutti household request 1"

    fileprivate var prefix: [UInt8] { Array(rawValue.utf8) + [0] }
}

extension PeerKeyPair {
    public func signature(of message: [UInt8], for purpose: SigningPurpose) -> [UInt8] {
        signing.signature(of: purpose.prefix + message)
    }
}
