import AudioCore
import WireProtocol

extension QueueItem {
    /// What every view of an item shows.
    private var members: [JSONValue.Member] {
        [
            .init(key: "id", value: .integer(Int64(id.number))), .init(key: "title", value: .string(title)),
            .init(key: "artist", value: .optional(artist)), .init(key: "album", value: .optional(album)),
            .init(key: "seconds", value: duration.map { .number($0.seconds, decimals: 3) } ?? .null),
            .init(key: "live", value: .bool(isLive)), .init(key: "failed", value: .bool(hasFailed)),
            .init(key: "picture", value: hasPicture.map { .bool($0) } ?? .null),
        ]
    }

    public var json: JSONValue { .object(members) }

    /// An item as `tutti queue --json` lists it.
    /// - Parameter position: in the queue, from 1.
    public func json(position: Int, isCurrent: Bool) -> JSONValue {
        .object(
            [.init(key: "position", value: .integer(Int64(position)))] + members
                + [.init(key: "current", value: .bool(isCurrent))])
    }
}

extension QueuePage {
    /// `from`, the position of the first item, from 0; `count`, of the items in the whole queue; `items`.
    public var json: JSONValue {
        .object([
            "from": .integer(Int64(first)), "count": .integer(Int64(itemCount)), "items": .array(items.map(\.json)),
        ])
    }
}
