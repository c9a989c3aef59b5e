import AudioCore
import NIOCore

/// An item of the queue, as it is shown.
///
/// | field | type | meaning |
/// |---|---|---|
/// | id | u32 | |
/// | flags | u8 | bit 0 live, bit 1 could not be played; the others are ignored |
/// | duration | i64 | nanoseconds; -1 unknown |
/// | title | text, 256 bytes | |
public struct QueueItem: Hashable, Sendable {
    public var id: ItemID
    public var title: String
    public var duration: TimeSpan?
    public var isLive: Bool
    /// It could not be played, and is passed over.
    public var hasFailed: Bool

    public init(
        id: ItemID, title: String, duration: TimeSpan? = nil, isLive: Bool = false, hasFailed: Bool = false
    ) {
        self.id = id
        self.title = title
        self.duration = duration
        self.isLive = isLive
        self.hasFailed = hasFailed
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(id.number)
        buffer.writeInteger(UInt8(isLive ? 1 : 0) | UInt8(hasFailed ? 2 : 0))
        buffer.writeSpan(duration ?? .nanoseconds(-1))
        buffer.writeText(title, limit: Limits.titleByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let id = buffer.readInteger(as: UInt32.self), let flags = buffer.readInteger(as: UInt8.self),
            let duration = buffer.readSpan(), let title = buffer.readText(limit: Limits.titleByteCount)
        else { return nil }
        self.init(
            id: ItemID(id), title: title, duration: duration >= .zero ? duration : nil, isLive: flags & 1 != 0,
            hasFailed: flags & 2 != 0)
    }
}
