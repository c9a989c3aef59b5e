import AudioCore
import NIOCore

/// What a peer is in the conversation that follows.
public struct PeerRole: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let broadcaster = PeerRole(rawValue: 1 << 0)
    public static let listener = PeerRole(rawValue: 1 << 1)
}

/// The first message in each direction: who is there, and what it can do.
///
/// | field | type | meaning |
/// |---|---|---|
/// | role | u8 | bit 0 broadcaster, bit 1 listener |
/// | peer | 16 bytes | the peer's UUID |
/// | instance | u64 | random for each process |
/// | started | i64 | seconds since 1970 at which the broadcast or listener began, by its own wall clock |
/// | name | text, 63 bytes | for people |
/// | codec count | u8, at most 64 | |
/// | codecs | u32 each | four-character codes that the peer can decode |
///
/// Fields that later versions append are ignored.
public struct Greeting: Hashable, Sendable {
    public var role: PeerRole
    public var peer: UUIDBytes
    public var instance: UInt64
    public var started: Int64
    public var name: String
    public var codecs: [Codec]

    public init(
        role: PeerRole, peer: UUIDBytes, instance: UInt64, started: Int64, name: String, codecs: [Codec] = []
    ) {
        self.role = role
        self.peer = peer
        self.instance = instance
        self.started = started
        self.name = name
        self.codecs = codecs
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(role.rawValue)
        buffer.writeUUID(peer)
        buffer.writeInteger(instance)
        buffer.writeInteger(started)
        buffer.writeText(name, limit: Limits.peerNameByteCount)
        buffer.writeInteger(UInt8(min(codecs.count, WireLimits.codecCount)))
        for codec in codecs.prefix(WireLimits.codecCount) { buffer.writeInteger(codec.rawValue) }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let role = buffer.readInteger(as: UInt8.self), let peer = buffer.readUUID(),
            let instance = buffer.readInteger(as: UInt64.self), let started = buffer.readInteger(as: Int64.self),
            let name = buffer.readText(limit: Limits.peerNameByteCount),
            let codecCount = buffer.readInteger(as: UInt8.self), codecCount <= WireLimits.codecCount
        else { return nil }
        var codecs: [Codec] = []
        for _ in 0..<codecCount {
            guard let code = buffer.readInteger(as: UInt32.self) else { return nil }
            codecs.append(Codec(rawValue: code))
        }
        self.init(
            role: PeerRole(rawValue: role), peer: peer, instance: instance, started: started, name: name,
            codecs: codecs)
    }
}
