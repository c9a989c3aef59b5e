import AudioCore
import WireProtocol

extension ProgrammeCommand {
    /// The furthest place, in seconds: 1,000 hours, as on the command line.
    static let furthestSeconds = 3_600_000.0
    /// Positions in a queue, from 0.
    static let positions: ClosedRange<Int64> = 0...Int64(Int32.max)
    /// Numbers of items.
    static let items: ClosedRange<Int64> = 0...Int64(UInt32.max)
    /// Items that one command may remove: fewer than a broadcaster takes commands at once.
    static let removedCount = 64

    static func programme(_ name: Name, _ value: JSONValue) throws(ProgrammeCommandError) -> [ProgrammeOperation] {
        switch name {
        case .play: try [plain(name, value, .play)]
        case .pause: try [plain(name, value, .pause)]
        case .toggle: try [plain(name, value, .toggle)]
        case .stop: try [plain(name, value, .stop)]
        case .next: try [plain(name, value, .next)]
        case .previous: try [plain(name, value, .previous)]
        case .clear: try [plain(name, value, .clear)]
        case .seek: try [.seek(to: seconds(name, value, from: 0))]
        case .skip: try [.skip(by: seconds(name, value, from: -furthestSeconds))]
        case .jump:
            try [.jump(to: item(ObjectReader(value, of: name.rawValue, ["item"]).integer("item", in: items)))]
        case .add: try addition(value)
        case .remove: try removals(value)
        case .move: try [move(value)]
        case .repeat: try [.setRepeat(repeats(value))]
        case .shuffle: try [.setShuffle(shuffles(value))]
        // Others' operations.
        case .volume, .offset, .role: []
        }
    }

    /// A command without values.
    private static func plain(
        _ name: Name, _ value: JSONValue, _ operation: ProgrammeOperation
    ) throws(ProgrammeCommandError) -> ProgrammeOperation {
        _ = try ObjectReader(value, of: name.rawValue, [])
        return operation
    }

    private static func seconds(
        _ name: Name, _ value: JSONValue, from lowest: Double
    ) throws(ProgrammeCommandError) -> TimeSpan {
        let members = try ObjectReader(value, of: name.rawValue, ["seconds"])
        return TimeSpan(seconds: try members.number("seconds", in: lowest...furthestSeconds))
    }

    /// - Parameter number: within ``items``.
    private static func item(_ number: Int64) -> ItemReference { .id(ItemID(UInt32(clamping: number))) }

    private static func removals(_ value: JSONValue) throws(ProgrammeCommandError) -> [ProgrammeOperation] {
        let members = try ObjectReader(value, of: "remove", ["items"])
        return try members.integers("items", in: items, count: 1...removedCount).map { .remove(item($0)) }
    }

    private static func move(_ value: JSONValue) throws(ProgrammeCommandError) -> ProgrammeOperation {
        let members = try ObjectReader(value, of: "move", ["item", "position"])
        let item = item(try members.integer("item", in: items))
        return .move(item, to: Int(try members.integer("position", in: positions)))
    }

    private static func repeats(_ value: JSONValue) throws(ProgrammeCommandError) -> RepeatMode {
        let mode = RepeatMode.allCases.first { "\($0)" == value.string }
        guard let mode else {
            let found = value.string?.quotedForError ?? value.kindName
            throw ProgrammeCommandError("'repeat' is 'off', 'all' or 'one', not \(found)")
        }
        return mode
    }

    private static func shuffles(_ value: JSONValue) throws(ProgrammeCommandError) -> Bool {
        guard let isOn = value.bool else {
            throw ProgrammeCommandError("'shuffle' is true or false, not \(value.kindName)")
        }
        return isOn
    }
}
