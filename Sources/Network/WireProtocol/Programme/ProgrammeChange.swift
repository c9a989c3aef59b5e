import AudioCore
import NIOCore

/// One change of a ``ProgrammeState``, sent to whoever follows it.
///
/// | field | type | meaning |
/// |---|---|---|
/// | sequence | u64 | one more with each change; whoever misses one asks for the state again |
/// | effect | i64 | session time at which it takes effect |
/// | kind | u8 | 1 status, 2 modes, 3 queue, 4 item, 5 volume, 6 listener, 7 command, 8 listener gone |
/// | *1* | ``TransportStatus``, texts | and artists and albums of its items |
/// | *2* | u8, u8 | repeat, shuffle |
/// | *3* | ``QueueEdit``, u32 | and the item count afterwards |
/// | *4* | ``QueueItem``, texts | more became known of it; its artist and album follow |
/// | *5* | u8, u8 | the group's volume, muted |
/// | *6* | ``ProgrammeListener`` | a new one, or what changed of it |
/// | *7* | ``LogEntry`` | who asked for what |
/// | *8* | u64 | instance |
///
/// A change of unknown kind counts, and is otherwise ignored.
public struct ProgrammeChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case status(TransportStatus)
        case modes(PlayModes)
        case queue(QueueEdit, itemCount: Int)
        case item(QueueItem)
        case volume(VolumeSetting)
        case listener(ProgrammeListener)
        case command(LogEntry)
        case listenerGone(instance: UInt64)
        /// A kind of a later version.
        case unknown(UInt8)
    }

    public var sequence: UInt64
    public var effect: SessionTime
    public var kind: Kind

    public init(sequence: UInt64, effect: SessionTime, _ kind: Kind) {
        self.sequence = sequence
        self.effect = effect
        self.kind = kind
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(sequence)
        buffer.writeInteger(effect.nanoseconds)
        kind.write(to: &buffer)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let sequence = buffer.readInteger(as: UInt64.self), let effect = buffer.readInteger(as: Int64.self),
            let kind = Kind(from: &buffer)
        else { return nil }
        self.init(sequence: sequence, effect: SessionTime(nanoseconds: effect), kind)
    }
}

extension ProgrammeChange.Kind {
    private var code: UInt8 {
        switch self {
        case .status: 1
        case .modes: 2
        case .queue: 3
        case .item: 4
        case .volume: 5
        case .listener: 6
        case .command: 7
        case .listenerGone: 8
        case .unknown(let code): code
        }
    }

    fileprivate func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(code)
        switch self {
        case .status(let status):
            status.write(to: &buffer)
            status.writeArtistsAndAlbums(to: &buffer)
        case .modes(let modes): modes.write(to: &buffer)
        case .queue(let edit, let itemCount):
            edit.write(to: &buffer)
            buffer.writeInteger(UInt32(clamping: itemCount))
        case .item(let item):
            item.write(to: &buffer)
            item.writeArtistAndAlbum(to: &buffer)
        case .volume(let volume): volume.write(to: &buffer)
        case .listener(let listener): listener.write(to: &buffer)
        case .command(let entry): entry.write(to: &buffer)
        case .listenerGone(let instance): buffer.writeInteger(instance)
        case .unknown: break
        }
    }

    fileprivate init?(from buffer: inout ByteBuffer) {
        guard let code = buffer.readInteger(as: UInt8.self) else { return nil }
        var kind: Self?
        switch code {
        case 1:
            guard var status = TransportStatus(from: &buffer), status.readArtistsAndAlbums(from: &buffer) else {
                return nil
            }
            kind = .status(status)
        case 2: kind = PlayModes(from: &buffer).map { .modes($0) }
        case 3:
            guard let edit = QueueEdit(from: &buffer), let count = buffer.readInteger(as: UInt32.self) else {
                return nil
            }
            kind = .queue(edit, itemCount: Int(count))
        case 4:
            guard var item = QueueItem(from: &buffer) else { return nil }
            guard buffer.readableBytes == 0 || item.readArtistAndAlbum(from: &buffer) else { return nil }
            kind = .item(item)
        case 5: kind = VolumeSetting(from: &buffer).map { .volume($0) }
        case 6: kind = ProgrammeListener(from: &buffer).map { .listener($0) }
        case 7: kind = LogEntry(from: &buffer).map { .command($0) }
        case 8: kind = buffer.readInteger(as: UInt64.self).map { .listenerGone(instance: $0) }
        default: kind = .unknown(code)
        }
        guard let kind else { return nil }
        self = kind
    }
}

/// An edit of the queue. It does not carry the items: whoever shows them asks for their page.
///
/// | field | type | meaning |
/// |---|---|---|
/// | kind | u8 | 0 inserted, 1 removed, 2 moved, 3 cleared |
/// | position | u32 | of the first item inserted, of the one removed or moved; else 0 |
/// | value | u32 | inserted: how many; moved: the position afterwards; else 0 |
public enum QueueEdit: Hashable, Sendable {
    case inserted(at: Int, count: Int)
    case removed(at: Int)
    case moved(from: Int, to: Int)
    case cleared

    func write(to buffer: inout ByteBuffer) {
        let (kind, position, value): (UInt8, Int, Int) =
            switch self {
            case .inserted(let position, let count): (0, position, count)
            case .removed(let position): (1, position, 0)
            case .moved(let from, let to): (2, from, to)
            case .cleared: (3, 0, 0)
            }
        buffer.writeInteger(kind)
        buffer.writeInteger(UInt32(clamping: position))
        buffer.writeInteger(UInt32(clamping: value))
    }

    init?(from buffer: inout ByteBuffer) {
        guard let kind = buffer.readInteger(as: UInt8.self), let position = buffer.readInteger(as: UInt32.self),
            let value = buffer.readInteger(as: UInt32.self)
        else { return nil }
        switch kind {
        case 0: self = .inserted(at: Int(position), count: Int(value))
        case 1: self = .removed(at: Int(position))
        case 2: self = .moved(from: Int(position), to: Int(value))
        case 3: self = .cleared
        default: return nil
        }
    }
}
