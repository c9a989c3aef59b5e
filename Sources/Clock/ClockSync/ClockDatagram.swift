import AudioCore

/// One clock datagram: a listener's request, or the broadcaster's reply to it.
///
/// Fixed layout, big-endian, version 1. A request is as large as a reply, so that replies cannot amplify an attack.
///
/// | offset | bytes | field | request | reply |
/// |---|---|---|---|---|
/// | 0 | 4 | magic | `TuTc` | the same |
/// | 4 | 1 | version | 1 | 1 |
/// | 5 | 1 | kind | 1 | 2 |
/// | 6 | 2 | interval | 0 | ms between two requests of a listener that knows the clock, at least |
/// | 8 | 8 | key identifier | names the connection | the same |
/// | 16 | 4 | sequence | grows with each request of this key, from 1 | the request's |
/// | 20 | 4 | previous sequence | 0 | the reply whose transmit stamp follows, 0: none |
/// | 24 | 8 | cookie | random | the request's |
/// | 32 | 8 | receive | 0 | t2: session time at which the request arrived |
/// | 40 | 8 | transmit | 0 | t3: session time at which the reply was handed to the kernel |
/// | 48 | 8 | previous transmit | 0 | session time at which the previous reply really left, by the kernel's stamp |
/// | 56 | 8 | tag | SipHash-2-4 of bytes 0 to 55 under the key's secret | the same |
///
/// t1 and t4 never travel: the listener keeps them with the cookie. The transmit stamp of a datagram is known only
/// after it left, so each reply carries that of the one before. A datagram of another length, magic, version, kind or
/// tag is ignored.
public struct ClockDatagram: Hashable, Sendable {
    public enum Kind: UInt8, Sendable {
        case request = 1
        case reply = 2
    }

    public static let byteCount = 64
    static let magic: UInt32 = 0x5475_5463
    static let version: UInt8 = 1

    public var kind: Kind
    public var keyIdentifier: UInt64
    /// Whole milliseconds, less than 65,536.
    public var interval = TimeSpan.zero
    public var sequence: UInt32
    public var previousSequence: UInt32 = 0
    public var cookie: UInt64
    public var receive = SessionTime(nanoseconds: 0)
    public var transmit = SessionTime(nanoseconds: 0)
    public var previousTransmit = SessionTime(nanoseconds: 0)

    public init(kind: Kind, keyIdentifier: UInt64, sequence: UInt32, cookie: UInt64) {
        self.kind = kind
        self.keyIdentifier = keyIdentifier
        self.sequence = sequence
        self.cookie = cookie
    }

    /// Returns the datagram's bytes, with the tag made by `key`.
    public func encoded(under key: ClockKey) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(bigEndian: Self.magic)
        bytes.append(Self.version)
        bytes.append(kind.rawValue)
        bytes.append(bigEndian: UInt16(clamping: interval.nanoseconds / 1_000_000))
        bytes.append(bigEndian: keyIdentifier)
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: previousSequence)
        bytes.append(bigEndian: cookie)
        bytes.append(bigEndian: receive.nanoseconds)
        bytes.append(bigEndian: transmit.nanoseconds)
        bytes.append(bigEndian: previousTransmit.nanoseconds)
        bytes.append(bigEndian: SipHash.hash(bytes, key: (key.secret0, key.secret1)))
        return bytes
    }

    /// Returns the identifier of the key that a datagram claims, or nil if it is not a clock datagram of this version.
    public static func keyIdentifier(of bytes: [UInt8]) -> UInt64? {
        guard bytes.count == byteCount, bytes.bigEndian(at: 0, as: UInt32.self) == magic, bytes[4] == version else {
            return nil
        }
        return bytes.bigEndian(at: 8, as: UInt64.self)
    }

    /// Decodes a datagram; returns nil unless the bytes are a clock datagram made under `key`.
    public init?(_ bytes: [UInt8], under key: ClockKey) {
        guard Self.keyIdentifier(of: bytes) == key.identifier, let kind = Kind(rawValue: bytes[5]),
            bytes.bigEndian(at: 56, as: UInt64.self)
                == SipHash.hash(bytes[..<56], key: (key.secret0, key.secret1))
        else { return nil }
        self.init(
            kind: kind, keyIdentifier: key.identifier, sequence: bytes.bigEndian(at: 16, as: UInt32.self),
            cookie: bytes.bigEndian(at: 24, as: UInt64.self))
        interval = .milliseconds(Int64(bytes.bigEndian(at: 6, as: UInt16.self)))
        previousSequence = bytes.bigEndian(at: 20, as: UInt32.self)
        receive = SessionTime(nanoseconds: bytes.bigEndian(at: 32, as: Int64.self))
        transmit = SessionTime(nanoseconds: bytes.bigEndian(at: 40, as: Int64.self))
        previousTransmit = SessionTime(nanoseconds: bytes.bigEndian(at: 48, as: Int64.self))
    }

    /// Returns the sequence number of any clock datagram without checking its tag: for transmit stamps of our own
    /// datagrams.
    public static func sequence(of bytes: [UInt8]) -> UInt32? {
        guard keyIdentifier(of: bytes) != nil else { return nil }
        return bytes.bigEndian(at: 16, as: UInt32.self)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The caller has checked the length.
    fileprivate func bigEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        self[offset..<offset + Value.bitWidth / 8].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
}
