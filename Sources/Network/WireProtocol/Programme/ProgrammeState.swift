import NIOCore

/// The state of a programme, sent once to whoever follows it. ``ProgrammeChange``s bring it up to date.
///
/// | field | type | meaning |
/// |---|---|---|
/// | sequence | u64 | number of the newest change that this state includes; 0: none |
/// | status | ``TransportStatus`` | |
/// | repeat | u8 | 0 off, 1 one, 2 all |
/// | shuffle | u8 | 0 off, 1 on |
/// | item count | u32 | of the whole queue, of which a ``QueuePageRequest`` gets pages |
/// | volume, muted | u8 each | the group's |
/// | listener count | u16, at most 1,024 | listeners that follow |
/// | *for each:* settings | ``ListenerSettings`` | |
public struct ProgrammeState: Hashable, Sendable {
    public var sequence: UInt64
    public var status: TransportStatus
    public var modes: PlayModes
    public var itemCount: Int
    public var volume: VolumeSetting
    public var listeners: [ListenerSettings]

    public init(
        sequence: UInt64, status: TransportStatus, modes: PlayModes = PlayModes(), itemCount: Int = 0,
        volume: VolumeSetting = VolumeSetting(), listeners: [ListenerSettings] = []
    ) {
        self.sequence = sequence
        self.status = status
        self.modes = modes
        self.itemCount = itemCount
        self.volume = volume
        self.listeners = listeners
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(sequence)
        status.write(to: &buffer)
        modes.write(to: &buffer)
        buffer.writeInteger(UInt32(clamping: itemCount))
        volume.write(to: &buffer)
        buffer.writeInteger(UInt16(min(listeners.count, WireLimits.listenerSettingsCount)))
        for settings in listeners.prefix(WireLimits.listenerSettingsCount) { settings.write(to: &buffer) }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let sequence = buffer.readInteger(as: UInt64.self), let status = TransportStatus(from: &buffer),
            let modes = PlayModes(from: &buffer), let itemCount = buffer.readInteger(as: UInt32.self),
            let volume = VolumeSetting(from: &buffer), let count = buffer.readInteger(as: UInt16.self),
            count <= WireLimits.listenerSettingsCount
        else { return nil }
        var listeners: [ListenerSettings] = []
        for _ in 0..<count {
            guard let settings = ListenerSettings(from: &buffer) else { return nil }
            listeners.append(settings)
        }
        self.init(
            sequence: sequence, status: status, modes: modes, itemCount: Int(itemCount), volume: volume,
            listeners: listeners)
    }
}

/// In which order items follow one another.
public struct PlayModes: Hashable, Sendable {
    public var repeats: RepeatMode
    public var isShuffled: Bool

    public init(repeats: RepeatMode = .off, isShuffled: Bool = false) {
        self.repeats = repeats
        self.isShuffled = isShuffled
    }

    /// Writes repeat (u8) and shuffle (u8).
    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(repeats.rawValue)
        buffer.writeInteger(UInt8(isShuffled ? 1 : 0))
    }

    init?(from buffer: inout ByteBuffer) {
        guard let repeats = buffer.readInteger(as: UInt8.self).flatMap(RepeatMode.init),
            let isShuffled = buffer.readInteger(as: UInt8.self), isShuffled <= 1
        else { return nil }
        self.init(repeats: repeats, isShuffled: isShuffled == 1)
    }
}
