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

    /// Changes it. A level is clamped to 0 to 100; a step ends a mute, as a level does.
    public mutating func apply(_ change: VolumeChange) {
        switch change {
        case .level(let level): self = VolumeSetting(level: min(max(level, 0), 100))
        case .step(let step): self = VolumeSetting(level: min(max(level + min(max(step, -100), 100), 0), 100))
        case .mute: isMuted = true
        case .unmute: isMuted = false
        case .toggleMute: isMuted.toggle()
        }
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
/// | volume, muted | u8 each | 0 to 100; 0 or 1 |
/// | offset | i64 | microseconds |
/// | role | u8 each | kind: 0 stereo, 1 left, 2 right, 3 mono, 4 channel; channel, counted from 1 |
public struct ListenerSettings: Hashable, Sendable {
    public var volume: VolumeSetting
    public var offset: TimeSpan
    public var role: ChannelRole

    public init(volume: VolumeSetting = VolumeSetting(), offset: TimeSpan = .zero, role: ChannelRole = .stereo) {
        self.volume = volume
        self.offset = offset
        self.role = role
    }

    func write(to buffer: inout ByteBuffer) {
        volume.write(to: &buffer)
        buffer.writeMicroseconds(offset)
        buffer.writeRole(role)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let volume = VolumeSetting(from: &buffer), let offset = buffer.readMicroseconds(),
            case .value(let role) = buffer.readRole()
        else { return nil }
        self.init(volume: volume, offset: offset, role: role)
    }
}
