import AudioCore
import NIOCore

/// The first message in each direction: who the peer is, and what it can do.
///
/// | field | type | meaning |
/// |---|---|---|
/// | roles | u8 | bit 0 broadcaster, bit 1 listener, bit 2 observer, bit 3 controller, bit 4 pairing |
/// | peer | 16 bytes | the peer's UUID |
/// | instance | u64 | random for each process |
/// | started | i64 | start of the broadcast or listener in seconds since 1970, by its own wall clock |
/// | name | text, 63 bytes | for display |
/// | codec count | u8, at most 64 | |
/// | codecs | u32 each | four-character codes that the peer can decode |
///
/// Fields that later versions append are ignored.
public struct Greeting: Hashable, Sendable {
    public var roles: PeerRoles
    public var peer: UUIDBytes
    public var instance: UInt64
    public var started: Int64
    public var name: String
    public var codecs: [Codec]

    public init(
        roles: PeerRoles, peer: UUIDBytes, instance: UInt64, started: Int64, name: String, codecs: [Codec] = []
    ) {
        self.roles = roles
        self.peer = peer
        self.instance = instance
        self.started = started
        self.name = name
        self.codecs = codecs
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(roles.rawValue)
        buffer.writeUUID(peer)
        buffer.writeInteger(instance)
        buffer.writeInteger(started)
        buffer.writeText(name, limit: WireLimits.peerNameByteCount)
        buffer.writeInteger(UInt8(min(codecs.count, WireLimits.codecCount)))
        for codec in codecs.prefix(WireLimits.codecCount) { buffer.writeInteger(codec.rawValue) }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let roles = buffer.readInteger(as: UInt8.self), let peer = buffer.readUUID(),
            let instance = buffer.readInteger(as: UInt64.self), let started = buffer.readInteger(as: Int64.self),
            let name = buffer.readText(limit: WireLimits.peerNameByteCount),
            let codecCount = buffer.readInteger(as: UInt8.self), codecCount <= WireLimits.codecCount
        else { return nil }
        var codecs: [Codec] = []
        for _ in 0..<codecCount {
            guard let code = buffer.readInteger(as: UInt32.self) else { return nil }
            codecs.append(Codec(rawValue: code))
        }
        self.init(
            roles: PeerRoles(rawValue: roles), peer: peer, instance: instance, started: started, name: name,
            codecs: codecs)
    }
}
