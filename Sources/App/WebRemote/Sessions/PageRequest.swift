import AudioCore
import Controlling
import ProgrammeJSON
import WireProtocol

/// What a page asks for, of the broadcast that it shows.
enum PageRequest: Hashable {
    case command(ProgrammeCommand)
    case queue(QueuePageRequest)
    case lyrics(ItemID)
    case levels(ItemID)
    case songs(query: String, limit: Int)
    /// The address of a stream for a player of the guest's own.
    case stream
    case ping

    static let defaultCount = 100
    static let defaultSongCount = 50

    /// Why a request is none, for people.
    struct Fault: Error, Hashable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static let kinds = ["command", "queue", "lyrics", "levels", "songs", "stream", "ping"]

    /// - Parameters:
    ///   - json: an object with "id", which is the caller's matter, and one more member.
    ///   - listeners: those of the programme, of which a command may name one.
    init(_ json: JSONValue, listeners: [ProgrammeListener]) throws(Fault) {
        let others = (json.members ?? []).filter { $0.key != "id" }
        guard others.count == 1, let kind = others.first?.key, Self.kinds.contains(kind),
            let value = others.first?.value
        else { throw Fault("a request has an \"id\" and one of \(Self.kinds.joined(separator: ", "))") }
        switch kind {
        case "command": self = try Self.command(value, listeners)
        case "queue":
            self = .queue(
                try Self.page(
                    from: Self.number(value, "from", orElse: 0),
                    count: Self.number(value, "count", orElse: Self.defaultCount)))
        case "lyrics": self = .lyrics(try Self.item(value))
        case "levels": self = .levels(try Self.item(value))
        case "songs":
            guard let query = value.member("query")?.string else { throw Fault("'songs' lacks 'query', a text") }
            self = try Self.songs(query, limit: Self.number(value, "limit", orElse: Self.defaultSongCount))
        case "stream": self = .stream
        default: self = .ping
        }
    }

    static func command(_ json: JSONValue, _ listeners: [ProgrammeListener]) throws(Fault) -> PageRequest {
        do throws(ProgrammeCommandError) {
            return .command(try ProgrammeCommand(json, listeners: listeners))
        } catch {
            throw Fault(error.message)
        }
    }

    static func page(from first: Int, count: Int) throws(Fault) -> QueuePageRequest {
        guard (0...Int(UInt32.max)).contains(first), (1...WireLimits.itemsPerPage).contains(count) else {
            throw Fault("'from' is 0 or more, and 'count' 1 to \(WireLimits.itemsPerPage)")
        }
        return QueuePageRequest(first: first, count: count)
    }

    static func songs(_ query: String, limit: Int) throws(Fault) -> PageRequest {
        guard query.utf8.count <= WireLimits.queryByteCount else {
            throw Fault("'query' has \(WireLimits.queryByteCount) bytes at most; leave words out")
        }
        guard (1...WireLimits.foundSongCount).contains(limit) else {
            throw Fault("'limit' is 1 to \(WireLimits.foundSongCount)")
        }
        return .songs(query: query, limit: limit)
    }

    private static func number(_ value: JSONValue, _ key: String, orElse standard: Int) throws(Fault) -> Int {
        guard let member = value.member(key), member != .null else { return standard }
        guard let integer = member.integer else { throw Fault("'\(key)' is a whole number") }
        return Int(integer)
    }

    private static func item(_ value: JSONValue) throws(Fault) -> ItemID {
        guard let number = value.member("item")?.integer.flatMap({ UInt32(exactly: $0) }) else {
            throw Fault("'item' is the number of an item")
        }
        return ItemID(number)
    }
}

extension PageRequest {
    /// Says why somebody may not ask for this; nil if they may.
    /// - Parameter instance: of the asker's own listener, which they set as they like; nil for those without one.
    func obstacle(for rights: PageRights, instance: UInt64?) -> String? {
        let needed: ProgrammeRight
        switch self {
        case .stream: needed = .listen
        // Whoever may listen or command sees what plays.
        case .queue, .lyrics, .levels, .ping: return rights.isEmpty ? Self.missing(.listen) : nil
        case .songs: needed = .add
        case .command(let command):
            let isOwn = command.listener != nil && command.listener == instance
            guard isOwn || !command.staysBehind else {
                return "a page sets the offset and the role of its own browser alone"
            }
            needed = isOwn ? .listen : command.right
        }
        return rights.contains(needed) ? nil : Self.missing(needed)
    }

    static func missing(_ right: ProgrammeRight) -> String {
        switch right {
        case .listen: "that takes a guest's code: ask whoever runs this machine for one ('tutti guests add')"
        case .add: "you may not add songs here: ask whoever runs this machine"
        case .command: "you may listen here, but not command: ask whoever runs this machine"
        }
    }
}

extension ProgrammeCommand {
    /// Whether it sets what a listener's machine keeps for the next time.
    fileprivate var staysBehind: Bool {
        operations.contains { operation in
            switch operation {
            case .listeners(.offset, _), .listeners(.role, _): true
            case .listeners(.volume, _), .programme, .unknown: false
            }
        }
    }
}
