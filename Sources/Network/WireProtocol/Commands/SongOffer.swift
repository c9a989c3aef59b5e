import AudioCore
import NIOCore

/// Asks a broadcaster to take a song's bytes, and to queue it once all are there. The answer is a ``SongCredit``, and
/// at the end, or if it is refused, a ``CommandOutcome``.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | ``CommandID``; later messages about this song name it |
/// | byte count | u64 | of the song |
/// | position | u32 | the item before which it is put; at the end if that is the largest number |
/// | name | text, 256 bytes | the file's, without its folders |
public struct SongOffer: Hashable, Sendable {
    public var id: CommandID
    public var byteCount: UInt64
    /// Nil: at the queue's end.
    public var position: Int?
    public var name: String

    public init(id: CommandID = .random(), byteCount: UInt64, position: Int? = nil, name: String) {
        self.id = id
        self.byteCount = byteCount
        self.position = position
        self.name = name
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        buffer.writeInteger(byteCount)
        buffer.writeInteger(position.map { UInt32(clamping: $0) } ?? .max)
        buffer.writeText(name, limit: Limits.titleByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let byteCount = buffer.readInteger(as: UInt64.self),
            let position = buffer.readInteger(as: UInt32.self), let name = buffer.readText(limit: Limits.titleByteCount)
        else { return nil }
        self.init(id: id, byteCount: byteCount, position: position == .max ? nil : Int(position), name: name)
    }
}

/// Bytes of a song that was offered, in order.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | the offer's |
/// | bytes | 1 to 3,072, to the message's end | |
public struct SongBytes: Hashable, Sendable {
    public var id: CommandID
    /// At most ``WireLimits/songBytesCount``.
    public var bytes: ByteBuffer

    public init(id: CommandID, bytes: ByteBuffer) {
        self.id = id
        self.bytes = bytes
    }

    func write(to buffer: inout ByteBuffer) {
        precondition((1...WireLimits.songBytesCount).contains(bytes.readableBytes))
        buffer.writeCommandID(id)
        buffer.writeImmutableBuffer(bytes)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), (1...WireLimits.songBytesCount).contains(buffer.readableBytes),
            let bytes = buffer.readSlice(length: buffer.readableBytes)
        else { return nil }
        self.init(id: id, bytes: bytes)
    }
}

/// How much of an offered song may be sent.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | 16 bytes | the offer's |
/// | up to | u64 | bytes of the song that may be sent, counted from its beginning |
public struct SongCredit: Hashable, Sendable {
    public var id: CommandID
    public var upTo: UInt64

    public init(id: CommandID, upTo: UInt64) {
        self.id = id
        self.upTo = upTo
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeCommandID(id)
        buffer.writeInteger(upTo)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readCommandID(), let upTo = buffer.readInteger(as: UInt64.self) else { return nil }
        self.init(id: id, upTo: upTo)
    }
}
