import NIOCore

/// Asks for some of the queue's items. The answer is a ``QueuePage``.
///
/// | field | type | meaning |
/// |---|---|---|
/// | first | u32 | position of the first item wanted |
/// | count | u16 | items wanted; at most 256 come |
public struct QueuePageRequest: Hashable, Sendable {
    public var first: Int
    public var count: Int

    public init(first: Int, count: Int = WireLimits.itemsPerPage) {
        self.first = first
        self.count = count
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt32(clamping: first))
        buffer.writeInteger(UInt16(clamping: count))
    }

    init?(from buffer: inout ByteBuffer) {
        guard let first = buffer.readInteger(as: UInt32.self), let count = buffer.readInteger(as: UInt16.self) else {
            return nil
        }
        self.init(first: Int(first), count: Int(count))
    }
}

/// Some of the queue's items, as they are after a change.
///
/// | field | type | meaning |
/// |---|---|---|
/// | sequence | u64 | number of the newest change that this page includes |
/// | item count | u32 | of the whole queue |
/// | first | u32 | position of the first item that follows |
/// | count | u16, at most 256 | items that follow: none beyond the queue's end |
/// | *for each:* item | ``QueueItem`` | |
/// | *for each:* artist, album | text, 256 bytes each | see ``QueueItem`` |
public struct QueuePage: Hashable, Sendable {
    public var sequence: UInt64
    public var itemCount: Int
    public var first: Int
    public var items: [QueueItem]

    public init(sequence: UInt64, itemCount: Int, first: Int, items: [QueueItem]) {
        self.sequence = sequence
        self.itemCount = itemCount
        self.first = first
        self.items = items
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(sequence)
        buffer.writeInteger(UInt32(clamping: itemCount))
        buffer.writeInteger(UInt32(clamping: first))
        buffer.writeInteger(UInt16(min(items.count, WireLimits.itemsPerPage)))
        for item in items.prefix(WireLimits.itemsPerPage) { item.write(to: &buffer) }
        for item in items.prefix(WireLimits.itemsPerPage) { item.writeArtistAndAlbum(to: &buffer) }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let sequence = buffer.readInteger(as: UInt64.self), let itemCount = buffer.readInteger(as: UInt32.self),
            let first = buffer.readInteger(as: UInt32.self), let count = buffer.readInteger(as: UInt16.self),
            count <= WireLimits.itemsPerPage
        else { return nil }
        var items: [QueueItem] = []
        for _ in 0..<count {
            guard let item = QueueItem(from: &buffer) else { return nil }
            items.append(item)
        }
        if buffer.readableBytes > 0 {
            for index in items.indices {
                guard items[index].readArtistAndAlbum(from: &buffer) else { return nil }
            }
        }
        self.init(sequence: sequence, itemCount: Int(itemCount), first: Int(first), items: items)
    }
}
