import AudioCore
import NIOCore

/// What is looked up.
///
/// Further subjects have codes of their own.
public enum LookupSubject: Hashable, Sendable {
    /// The words of an item of the queue, as LRC or plain text in UTF-8.
    case lyrics(of: ItemID)
    /// Its picture: the bytes of an image file.
    case artwork(of: ItemID)
    /// How loud it is from its beginning to its end: an encoded `LevelEnvelope`.
    case levels(of: ItemID)
    /// Songs of the library of the machine that is asked: at most `limit` that fit the query, the best first, in
    /// UTF-8, each a line of fields that are separated by tabs (`FoundSong`).
    case songs(query: String, limit: Int)
    /// What `tutti doctor` finds on the machine that is asked: in UTF-8, each finding a line of fields that are
    /// separated by tabs.
    case findings
    /// One that this version does not know.
    case unknown(code: UInt8)

    /// The item that it is about; nil for those that are about none.
    public var item: ItemID? {
        switch self {
        case .lyrics(let item), .artwork(let item), .levels(let item): item
        case .songs, .findings, .unknown: nil
        }
    }
}

/// Asks for a part of what a machine has about music, or of itself; the answer is a ``Finding``.
///
/// Whoever wants all of it asks again, from behind what it has. So nothing more is on its way than was asked for, and
/// nothing is in the way of the song.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | ``CommandID``; the same for all parts, and of the answers |
/// | offset | u32 | bytes of it that the asker has |
/// | subject | u8 | 1 lyrics, 2 artwork, 3 levels: u32, the item's id; 4 songs: u16, the limit, and text of 512 bytes, the query; 5 findings |
public struct Lookup: Hashable, Sendable {
    public var id: CommandID
    public var offset: Int
    public var subject: LookupSubject

    public init(id: CommandID = .random(), offset: Int = 0, _ subject: LookupSubject) {
        self.id = id
        self.offset = offset
        self.subject = subject
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        buffer.writeInteger(UInt32(clamping: offset))
        switch subject {
        case .lyrics(let item): Self.write(1, item, to: &buffer)
        case .artwork(let item): Self.write(2, item, to: &buffer)
        case .levels(let item): Self.write(3, item, to: &buffer)
        case .songs(let query, let limit):
            buffer.writeInteger(UInt8(4))
            buffer.writeInteger(UInt16(clamping: limit))
            buffer.writeText(query, limit: WireLimits.queryByteCount)
        case .findings: buffer.writeInteger(UInt8(5))
        case .unknown(let code): buffer.writeInteger(code)
        }
    }

    private static func write(_ code: UInt8, _ item: ItemID, to buffer: inout ByteBuffer) {
        buffer.writeInteger(code)
        buffer.writeInteger(item.number)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let offset = buffer.readInteger(as: UInt32.self),
            let code = buffer.readInteger(as: UInt8.self), let subject = Self.subject(code, from: &buffer)
        else { return nil }
        self.init(id: id, offset: Int(offset), subject)
    }

    private static func subject(_ code: UInt8, from buffer: inout ByteBuffer) -> LookupSubject? {
        func item() -> ItemID? { buffer.readInteger(as: UInt32.self).map { ItemID($0) } }
        switch code {
        case 1: return item().map { .lyrics(of: $0) }
        case 2: return item().map { .artwork(of: $0) }
        case 3: return item().map { .levels(of: $0) }
        case 4:
            guard let limit = buffer.readInteger(as: UInt16.self),
                let query = buffer.readText(limit: WireLimits.queryByteCount)
            else { return nil }
            return .songs(query: query, limit: Int(limit))
        case 5: return .findings
        default: return .unknown(code: code)
        }
    }
}

/// A part of what was looked up, or why there is none.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | the lookup's |
/// | kind | u8 | 0 a part, 1 nothing |
/// | *of a part:* byte count | u32 | of the whole, at most ``WireLimits/findingByteCount`` |
/// | offset | u32 | where the bytes that follow stand in it |
/// | bytes | ``WireLimits/findingPartByteCount``, or up to the whole's end if that comes first | |
/// | *of nothing:* reason | text, 512 bytes | for people; empty where there simply is none |
public struct Finding: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case part(ofByteCount: Int, offset: Int, bytes: ByteBuffer)
        case nothing(reason: String)
    }

    public var id: CommandID
    public var content: Content

    public init(id: CommandID, _ content: Content) {
        self.id = id
        self.content = content
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        switch content {
        case .part(let byteCount, let offset, let bytes):
            precondition(bytes.readableBytes <= WireLimits.findingPartByteCount)
            buffer.writeInteger(UInt8(0))
            buffer.writeInteger(UInt32(clamping: byteCount))
            buffer.writeInteger(UInt32(clamping: offset))
            buffer.writeImmutableBuffer(bytes)
        case .nothing(let reason):
            buffer.writeInteger(UInt8(1))
            buffer.writeText(reason, limit: WireLimits.reasonByteCount)
        }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let kind = buffer.readInteger(as: UInt8.self) else { return nil }
        guard kind == 0 else {
            guard kind == 1, let reason = buffer.readText(limit: WireLimits.reasonByteCount) else { return nil }
            self.init(id: id, .nothing(reason: reason))
            return
        }
        guard let byteCount = buffer.readInteger(as: UInt32.self).map({ Int($0) }),
            let offset = buffer.readInteger(as: UInt32.self).map({ Int($0) }),
            let bytes = buffer.readSlice(length: buffer.readableBytes),
            Self.isValid(byteCount, offset, bytes.readableBytes)
        else { return nil }
        self.init(id: id, .part(ofByteCount: byteCount, offset: offset, bytes: bytes))
    }

    private static func isValid(_ byteCount: Int, _ offset: Int, _ partByteCount: Int) -> Bool {
        byteCount <= WireLimits.findingByteCount && (offset < byteCount || byteCount == 0 && offset == 0)
            && partByteCount == min(WireLimits.findingPartByteCount, byteCount - offset)
    }
}
