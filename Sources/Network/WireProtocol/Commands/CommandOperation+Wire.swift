import AudioCore
import NIOCore

/// The layout of an operation: a code (u16), then its fields, to the message's end.
///
/// | code | operation | fields |
/// |---|---|---|
/// | 1 to 7 | play, pause, resume, toggle, stop, next, previous | |
/// | 8, 9 | seek to, seek by | i64, microseconds |
/// | 10 | jump | item reference |
/// | 11 | add | sources |
/// | 12 | insert | position u32, sources |
/// | 13 | remove | item reference |
/// | 14 | move | item reference, position u32 |
/// | 15 | clear | |
/// | 16 | repeat | u8: 0 off, 1 one, 2 all |
/// | 17 | shuffle | u8: 0 off, 1 on |
/// | 32 | volume | target; u8: 0 level, 1 step, 2 mute, 3 unmute, 4 toggle; value i32 |
/// | 33 | offset | target; i64, microseconds |
/// | 34 | role | target; ``ChannelRole`` |
///
/// An item reference is a kind (u8: 0 id, 1 position) and a u32. Sources are a count (u16) and for each a kind (u8: 1
/// web address, 2 file) and a text. A target is a kind (u8: 0 all, 1 named) and a text of at most 63 bytes. An unknown
/// code or kind makes the operation ``CommandOperation/unknown(code:)``, for the broadcaster to refuse; what runs past
/// the message's end or breaks a limit makes the message malformed.
extension CommandOperation {
    enum Code: UInt16 {
        case play = 1
        case pause, resume, toggle, stop, next, previous, seekTo, seekBy, jump, add, insert, remove, move, clear
        case setRepeat, setShuffle
        case volume = 32
        case offset, role
    }

    /// What reading a field may find: a value, one that only a later version knows, or the message's end.
    enum Field<Value> {
        case value(Value)
        case unknown
        case missing
    }

    func write(to buffer: inout ByteBuffer) {
        switch self {
        case .programme(let operation): operation.write(to: &buffer)
        case .listeners(let operation, let target): operation.write(target, to: &buffer)
        case .unknown(let code): buffer.writeInteger(code)
        }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let raw = buffer.readInteger(as: UInt16.self) else { return nil }
        guard let code = Code(rawValue: raw) else {
            self = .unknown(code: raw)
            return
        }
        let operation: Field<CommandOperation> =
            switch code {
            case .volume, .offset, .role: ListenerOperation.read(code, from: &buffer)
            default: ProgrammeOperation.read(code, from: &buffer).map { .programme($0) }
            }
        switch operation {
        case .value(let operation): self = operation
        // A known code promises fields that are not known.
        case .unknown: self = .unknown(code: 0)
        case .missing: return nil
        }
    }
}

extension CommandOperation.Field {
    func map<Other>(_ transform: (Value) -> Other) -> CommandOperation.Field<Other> {
        flatMap { .value(transform($0)) }
    }

    func flatMap<Other>(_ transform: (Value) -> CommandOperation.Field<Other>) -> CommandOperation.Field<Other> {
        switch self {
        case .value(let value): transform(value)
        case .unknown: .unknown
        case .missing: .missing
        }
    }
}

// MARK: The programme

extension ProgrammeOperation {
    private var code: CommandOperation.Code {
        switch self {
        case .play: .play
        case .pause: .pause
        case .resume: .resume
        case .toggle: .toggle
        case .stop: .stop
        case .next: .next
        case .previous: .previous
        case .seek: .seekTo
        case .skip: .seekBy
        case .jump: .jump
        case .add: .add
        case .insert: .insert
        case .remove: .remove
        case .move: .move
        case .clear: .clear
        case .setRepeat: .setRepeat
        case .setShuffle: .setShuffle
        }
    }

    fileprivate func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(code.rawValue)
        switch self {
        case .play, .pause, .resume, .toggle, .stop, .next, .previous, .clear: break
        case .seek(to: let span): buffer.writeMicroseconds(span)
        case .skip(by: let span): buffer.writeMicroseconds(span)
        case .jump(to: let item), .remove(let item): buffer.writeReference(item)
        case .add(let sources): buffer.writeSources(sources)
        case .insert(let sources, let position):
            buffer.writeInteger(UInt32(clamping: position))
            buffer.writeSources(sources)
        case .move(let item, let position):
            buffer.writeReference(item)
            buffer.writeInteger(UInt32(clamping: position))
        case .setRepeat(let mode): buffer.writeInteger(mode.rawValue)
        case .setShuffle(let isOn): buffer.writeInteger(UInt8(isOn ? 1 : 0))
        }
    }

    fileprivate static func read(
        _ code: CommandOperation.Code, from buffer: inout ByteBuffer
    ) -> CommandOperation.Field<ProgrammeOperation> {
        switch code {
        case .play: .value(.play)
        case .pause: .value(.pause)
        case .resume: .value(.resume)
        case .toggle: .value(.toggle)
        case .stop: .value(.stop)
        case .next: .value(.next)
        case .previous: .value(.previous)
        case .seekTo: buffer.readTime().map { .seek(to: $0) }
        case .seekBy: buffer.readTime().map { .skip(by: $0) }
        case .jump: buffer.readReference().map { .jump(to: $0) }
        case .add: buffer.readSources().map { .add($0) }
        case .insert: readInsertion(from: &buffer)
        case .remove: buffer.readReference().map { .remove($0) }
        case .move: readMove(from: &buffer)
        case .clear: .value(.clear)
        case .setRepeat: readRepeat(from: &buffer)
        case .setShuffle: readShuffle(from: &buffer)
        case .volume, .offset, .role: .unknown
        }
    }

    private static func readInsertion(from buffer: inout ByteBuffer) -> CommandOperation.Field<ProgrammeOperation> {
        guard let position = buffer.readInteger(as: UInt32.self) else { return .missing }
        return buffer.readSources().map { .insert($0, at: Int(position)) }
    }

    private static func readMove(from buffer: inout ByteBuffer) -> CommandOperation.Field<ProgrammeOperation> {
        let item = buffer.readReference()
        guard let position = buffer.readInteger(as: UInt32.self) else { return .missing }
        return item.map { .move($0, to: Int(position)) }
    }

    private static func readRepeat(from buffer: inout ByteBuffer) -> CommandOperation.Field<ProgrammeOperation> {
        guard let code = buffer.readInteger(as: UInt8.self) else { return .missing }
        return RepeatMode(rawValue: code).map { .value(.setRepeat($0)) } ?? .unknown
    }

    private static func readShuffle(from buffer: inout ByteBuffer) -> CommandOperation.Field<ProgrammeOperation> {
        guard let code = buffer.readInteger(as: UInt8.self) else { return .missing }
        return code <= 1 ? .value(.setShuffle(code == 1)) : .unknown
    }
}

// MARK: Listeners

extension ListenerOperation {
    fileprivate func write(_ target: ListenerTarget, to buffer: inout ByteBuffer) {
        switch self {
        case .volume(let change):
            buffer.writeInteger(CommandOperation.Code.volume.rawValue)
            buffer.writeTarget(target)
            buffer.writeVolume(change)
        case .offset(let offset):
            buffer.writeInteger(CommandOperation.Code.offset.rawValue)
            buffer.writeTarget(target)
            buffer.writeMicroseconds(offset)
        case .role(let role):
            buffer.writeInteger(CommandOperation.Code.role.rawValue)
            buffer.writeTarget(target)
            buffer.writeRole(role)
        }
    }

    fileprivate static func read(
        _ code: CommandOperation.Code, from buffer: inout ByteBuffer
    ) -> CommandOperation.Field<CommandOperation> {
        let target = buffer.readTarget()
        let operation: CommandOperation.Field<ListenerOperation> =
            switch code {
            case .volume: buffer.readVolume().map { .volume($0) }
            case .offset: buffer.readTime().map { .offset($0) }
            case .role: buffer.readRole().map { .role($0) }
            default: .unknown
            }
        return target.flatMap { target in operation.map { .listeners($0, of: target) } }
    }
}

// MARK: Fields

extension ByteBuffer {
    mutating func writeMicroseconds(_ span: TimeSpan) { writeInteger(span.nanoseconds / 1_000) }

    /// Reads a span in microseconds; one that nanoseconds cannot express becomes the longest.
    mutating func readMicroseconds() -> TimeSpan? {
        let longest = Int64.max / 1_000
        return readInteger(as: Int64.self).map { .microseconds(min(max($0, -longest), longest)) }
    }

    fileprivate mutating func readTime() -> CommandOperation.Field<TimeSpan> {
        readMicroseconds().map { .value($0) } ?? .missing
    }

    fileprivate mutating func writeReference(_ item: ItemReference) {
        switch item {
        case .id(let id):
            writeInteger(UInt8(0))
            writeInteger(id.number)
        case .position(let position):
            writeInteger(UInt8(1))
            writeInteger(UInt32(clamping: position))
        }
    }

    fileprivate mutating func readReference() -> CommandOperation.Field<ItemReference> {
        guard let kind = readInteger(as: UInt8.self), let number = readInteger(as: UInt32.self) else { return .missing }
        return switch kind {
        case 0: .value(.id(ItemID(number)))
        case 1: .value(.position(Int(number)))
        default: .unknown
        }
    }

    fileprivate mutating func writeSources(_ sources: [ItemSource]) {
        precondition(ItemSource.isWithinLimits(sources))
        writeInteger(UInt16(sources.count))
        for source in sources {
            switch source {
            case .web(let address):
                writeInteger(UInt8(1))
                writeText(address.text, limit: WireLimits.addressByteCount)
            case .file(let path):
                writeInteger(UInt8(2))
                writeText(path, limit: WireLimits.addressByteCount)
            }
        }
    }

    fileprivate mutating func readSources() -> CommandOperation.Field<[ItemSource]> {
        guard let count = readInteger(as: UInt16.self), count <= WireLimits.sourcesPerCommand else { return .missing }
        var sources: [ItemSource] = []
        for _ in 0..<count {
            guard let kind = readInteger(as: UInt8.self) else { return .missing }
            guard (1...2).contains(kind) else { return .unknown }
            guard let text = readText(limit: WireLimits.addressByteCount) else { return .missing }
            if kind == 2 {
                guard text.hasPrefix("/") else { return .missing }
                sources.append(.file(text))
            } else {
                guard let address = WebAddress(text) else { return .missing }
                sources.append(.web(address))
            }
        }
        return ItemSource.isWithinLimits(sources) ? .value(sources) : .missing
    }

    fileprivate mutating func writeTarget(_ target: ListenerTarget) {
        switch target {
        case .all:
            writeInteger(UInt8(0))
            writeText("", limit: 0)
        case .named(let name):
            writeInteger(UInt8(1))
            writeText(name, limit: WireLimits.peerNameByteCount)
        }
    }

    fileprivate mutating func readTarget() -> CommandOperation.Field<ListenerTarget> {
        guard let kind = readInteger(as: UInt8.self), let name = readText(limit: WireLimits.peerNameByteCount) else {
            return .missing
        }
        return switch kind {
        case 0: .value(.all)
        case 1: .value(.named(name))
        default: .unknown
        }
    }

    fileprivate mutating func writeVolume(_ change: VolumeChange) {
        let (kind, value): (UInt8, Int) =
            switch change {
            case .level(let level): (0, level)
            case .step(let step): (1, step)
            case .mute: (2, 0)
            case .unmute: (3, 0)
            case .toggleMute: (4, 0)
            }
        writeInteger(kind)
        writeInteger(Int32(clamping: value))
    }

    fileprivate mutating func readVolume() -> CommandOperation.Field<VolumeChange> {
        guard let kind = readInteger(as: UInt8.self), let value = readInteger(as: Int32.self) else { return .missing }
        return switch kind {
        case 0: .value(.level(Int(value)))
        case 1: .value(.step(Int(value)))
        case 2: .value(.mute)
        case 3: .value(.unmute)
        case 4: .value(.toggleMute)
        default: .unknown
        }
    }

    /// Writes a channel role: a kind (u8: 0 stereo, 1 left, 2 right, 3 mono, 4 channel) and a channel (u8, else 0).
    mutating func writeRole(_ role: ChannelRole) {
        let (kind, channel): (UInt8, Int) =
            switch role {
            case .stereo: (0, 0)
            case .left: (1, 0)
            case .right: (2, 0)
            case .mono: (3, 0)
            case .channel(let channel): (4, channel)
            }
        writeInteger(kind)
        writeInteger(UInt8(clamping: channel))
    }

    mutating func readRole() -> CommandOperation.Field<ChannelRole> {
        guard let kind = readInteger(as: UInt8.self), let channel = readInteger(as: UInt8.self) else { return .missing }
        return switch kind {
        case 0: .value(.stereo)
        case 1: .value(.left)
        case 2: .value(.right)
        case 3: .value(.mono)
        case 4: .value(.channel(Int(channel)))
        default: .unknown
        }
    }
}

extension CommandOperation {
    /// The same operation for those who only watch: addresses without their credentials, files without their folders.
    public var withoutCredentials: CommandOperation {
        func shown(_ sources: [ItemSource]) -> [ItemSource] {
            sources.map { source in
                switch source {
                case .web(let address): .web(address.withoutCredentials)
                case .file(let path): .file("/" + (path.split(separator: "/").last ?? ""))
                }
            }
        }
        return switch self {
        case .programme(.add(let sources)): .programme(.add(shown(sources)))
        case .programme(.insert(let sources, let position)): .programme(.insert(shown(sources), at: position))
        default: self
        }
    }
}
