import AudioCore
import NIOCore

/// The state of a programme, sent once to whoever follows it. ``ProgrammeChange``s bring it up to date.
///
/// | field | type | meaning |
/// |---|---|---|
/// | sequence | u64 | number of the newest change that this state includes; 0: none |
/// | sent | i64 | session time at which the broadcaster sent this: positions are calculated from there |
/// | status | ``TransportStatus`` | |
/// | repeat | u8 | 0 off, 1 one, 2 all |
/// | shuffle | u8 | 0 off, 1 on |
/// | item count | u32 | of the whole queue, of which a ``QueuePageRequest`` gets pages |
/// | volume, muted | u8 each | the group's |
/// | listener count | u16, at most 1,024 | listeners that follow |
/// | *for each:* listener | ``ProgrammeListener`` | |
/// | artist, album | text, 256 bytes each | of the status's items; see ``QueueItem`` |
/// | page | ``PageLocation`` | where the page for browsers is |
public struct ProgrammeState: Hashable, Sendable {
    public var sequence: UInt64
    public var sent: SessionTime
    public var status: TransportStatus
    public var modes: PlayModes
    public var itemCount: Int
    public var volume: VolumeSetting
    public var listeners: [ProgrammeListener]
    /// Where the page for browsers is; nil where there is none.
    public var page: PageLocation?

    public init(
        sequence: UInt64, sent: SessionTime, status: TransportStatus, modes: PlayModes = PlayModes(),
        itemCount: Int = 0, volume: VolumeSetting = VolumeSetting(), listeners: [ProgrammeListener] = [],
        page: PageLocation? = nil
    ) {
        self.sequence = sequence
        self.sent = sent
        self.status = status
        self.modes = modes
        self.itemCount = itemCount
        self.volume = volume
        self.listeners = listeners
        self.page = page
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(sequence)
        buffer.writeInteger(sent.nanoseconds)
        status.write(to: &buffer)
        modes.write(to: &buffer)
        buffer.writeInteger(UInt32(clamping: itemCount))
        volume.write(to: &buffer)
        buffer.writeInteger(UInt16(min(listeners.count, WireLimits.listenerSettingsCount)))
        for listener in listeners.prefix(WireLimits.listenerSettingsCount) { listener.write(to: &buffer) }
        status.writeArtistsAndAlbums(to: &buffer)
        PageLocation.write(page, to: &buffer)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let sequence = buffer.readInteger(as: UInt64.self), let sent = buffer.readInteger(as: Int64.self),
            var status = TransportStatus(from: &buffer),
            let modes = PlayModes(from: &buffer), let itemCount = buffer.readInteger(as: UInt32.self),
            let volume = VolumeSetting(from: &buffer), let count = buffer.readInteger(as: UInt16.self),
            count <= WireLimits.listenerSettingsCount
        else { return nil }
        var listeners: [ProgrammeListener] = []
        for _ in 0..<count {
            guard let listener = ProgrammeListener(from: &buffer) else { return nil }
            listeners.append(listener)
        }
        guard status.readArtistsAndAlbums(from: &buffer), let page = PageLocation.read(from: &buffer) else {
            return nil
        }
        self.init(
            sequence: sequence, sent: SessionTime(nanoseconds: sent), status: status, modes: modes,
            itemCount: Int(itemCount), volume: volume,
            listeners: listeners, page: page)
    }
}

extension ProgrammeState {
    /// Brings the state up to date.
    /// - Returns: whether it was the next change; otherwise some were missed, and the state is to be asked for again.
    public mutating func apply(_ change: ProgrammeChange) -> Bool {
        guard change.sequence == sequence + 1 else { return false }
        sequence = change.sequence
        switch change.kind {
        case .status(let status): self.status = status
        case .modes(let modes): self.modes = modes
        case .queue(_, let itemCount): self.itemCount = itemCount
        case .item(let item):
            if status.current?.id == item.id { status.current = item }
            if status.next?.id == item.id { status.next = item }
        case .volume(let volume): self.volume = volume
        case .listener(let listener):
            if let index = listeners.firstIndex(where: { $0.instance == listener.instance }) {
                listeners[index] = listener
            } else {
                listeners.append(listener)
            }
        case .listenerGone(let instance): listeners.removeAll { $0.instance == instance }
        case .command, .unknown: break
        }
        return true
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
