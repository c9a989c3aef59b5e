/// Ties clock datagrams to one TCP connection: a public identifier and a secret, both random.
///
/// The broadcaster makes one for each connection and sends it in the greeting; it is void when the connection ends. A
/// key serves one ``ClockClient`` and one ``ClockResponder`` per path (UDP, and the connection itself): sequence
/// numbers only grow, so a second client on the same path would get no answer.
public struct ClockKey: Hashable, Sendable {
    /// Identifies the connection in every datagram, unencrypted.
    public var identifier: UInt64
    /// The two halves of the secret that keys the datagrams' hash.
    public var secret0: UInt64
    public var secret1: UInt64

    public init(identifier: UInt64, secret0: UInt64, secret1: UInt64) {
        self.identifier = identifier
        self.secret0 = secret0
        self.secret1 = secret1
    }

    /// Returns a fresh key. Use a cryptographic generator (`SystemRandomNumberGenerator`) outside simulations.
    public static func random(using generator: inout some RandomNumberGenerator) -> ClockKey {
        ClockKey(identifier: generator.next(), secret0: generator.next(), secret1: generator.next())
    }

    /// Length of the form in the greeting.
    public static let byteCount = 24

    /// Identifier, then secret, each 64 bits big-endian.
    public var bytes: [UInt8] {
        [identifier, secret0, secret1].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word &>> (56 - 8 * $0)) }
        }
    }

    /// Decodes a key; returns nil unless there are exactly ``byteCount`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: [UInt64] = [0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] &<< 8 | UInt64(byte) }
        self.init(identifier: words[0], secret0: words[1], secret1: words[2])
    }
}
