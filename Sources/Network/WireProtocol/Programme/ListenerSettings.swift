import AudioCore
import NIOCore

/// A volume, of a listener or of the group.
public struct VolumeSetting: Hashable, Sendable, BitwiseCopyable {
    /// 0 to 100, in per cent of a perceptual scale.
    public var level: Int
    public var isMuted: Bool

    public init(level: Int = 100, isMuted: Bool = false) {
        self.level = level
        self.isMuted = isMuted
    }

    /// Writes level (u8) and whether it is muted (u8).
    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt8(min(max(level, 0), 100)))
        buffer.writeInteger(UInt8(isMuted ? 1 : 0))
    }

    init?(from buffer: inout ByteBuffer) {
        guard let level = buffer.readInteger(as: UInt8.self), level <= 100,
            let isMuted = buffer.readInteger(as: UInt8.self), isMuted <= 1
        else { return nil }
        self.init(level: Int(level), isMuted: isMuted == 1)
    }
}

/// How a listener is set.
///
/// | field | type | meaning |
/// |---|---|---|
/// | name | text, 63 bytes | |
/// | volume, muted | u8 each | 0 to 100; 0 or 1 |
/// | offset | i64 | microseconds |
/// | role | u8 each | kind: 0 stereo, 1 left, 2 right, 3 mono, 4 channel; channel, counted from 1 |
public struct ListenerSettings: Hashable, Sendable {
    public var name: String
    public var volume: VolumeSetting
    public var offset: TimeSpan
    public var role: ChannelRole

    public init(
        name: String, volume: VolumeSetting = VolumeSetting(), offset: TimeSpan = .zero, role: ChannelRole = .stereo
    ) {
        self.name = name
        self.volume = volume
        self.offset = offset
        self.role = role
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeText(name, limit: Limits.peerNameByteCount)
        volume.write(to: &buffer)
        buffer.writeMicroseconds(offset)
        buffer.writeRole(role)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let name = buffer.readText(limit: Limits.peerNameByteCount), let volume = VolumeSetting(from: &buffer),
            let offset = buffer.readMicroseconds(), case .value(let role) = buffer.readRole()
        else { return nil }
        self.init(name: name, volume: volume, offset: offset, role: role)
    }
}
