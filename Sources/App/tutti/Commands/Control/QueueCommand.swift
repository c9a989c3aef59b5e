import AudioCore
import ProgrammeJSON
import Songs
import Synchronization
import TerminalIO
import TuttiRuntime

/// `tutti queue [add SONG... | insert N SONG... | remove N | move N M | play N | repeat MODE | shuffle on|off | clear]`
struct QueueCommand: Command {
    static let syntax = CommandSyntax(
        name: "queue",
        summary: "Shows what the broadcast plays, and changes it.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list the songs. add SONG...: at the end. insert N SONG...: before song N. remove N. move N "
                    + "M: N becomes the song M. play N: go there. repeat off|one|all. shuffle on|off. clear.",
                candidates: .verbs([
                    .init("add", .files), .init("insert", .files), .init("remove"), .init("move"), .init("play"),
                    .init("repeat", .choices(["off", "one", "all"])), .init("shuffle", .choices(["on", "off"])),
                    .init("clear"),
                ]))
        ],
        options: [ControlFlags.at] + SongFlags.options + [DisplayFlags.json, .help],
        notes: [
            "SONG is a file, a directory, a playlist, or an http or https URL. Of a broadcast on another machine, which must "
                + "have been started with --accept-songs, files are sent to it, and URLs may not lead to that machine itself.",
            ControlFlags.exitCodes,
        ],
        examples: [
            .init(command: "tutti queue", meaning: "the songs, with their numbers"),
            .init(command: "tutti queue add Music/Album", meaning: "the album's songs, at the end"),
            .init(command: "tutti queue add --artist \"Nina Simone\"", meaning: "found in the music folders"),
            .init(command: "tutti queue insert 1 song.mp3", meaning: "before all others"),
            .init(command: "tutti queue play 3", meaning: "the third song, now"),
        ])

    /// What the words ask for.
    enum Request: Hashable {
        case list
        case operation(ProgrammeOperation)
        case add([String], SongFlags?)
        case insert([String], SongFlags?, at: Int)
    }

    let target: ControlTarget
    let request: Request
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        let further = try SongFlags(arguments)
        request = try Self.request(arguments.operands, further)
        isJSON = arguments.has(DisplayFlags.json)
        guard further == nil || request.takesSongs else {
            throw UsageError("\(SongFlags.names) are for add and insert", unfitting: SongFlags.options)
        }
        guard request == .list || !isJSON else {
            throw UsageError("--json is for the list", unfitting: [DisplayFlags.json])
        }
    }

    static func request(_ words: [String], _ further: SongFlags? = nil) throws(UsageError) -> Request {
        guard let verb = words.first else { return .list }
        let rest = Array(words.dropFirst())
        switch verb {
        case "add": return .add(try songs(rest, further, "add SONG"), further)
        case "insert":
            guard let first = rest.first, let number = Int(first) else {
                throw UsageError("the number of the song behind is missing: tutti queue insert N SONG")
            }
            guard (1...Int(Int32.max)).contains(number) else {
                throw UsageError("a song's number is a whole number from 1: `tutti queue` shows it")
            }
            return .insert(try songs(Array(rest.dropFirst()), further, "insert N SONG"), further, at: number - 1)
        case "remove": return .operation(.remove(.position(try onlyNumber(rest))))
        case "play": return .operation(.jump(to: .position(try onlyNumber(rest))))
        case "move":
            guard rest.count == 2 else { throw UsageError("write: tutti queue move N M") }
            return .operation(.move(.position(try number(rest, 0)), to: try number(rest, 1)))
        case "clear" where rest.isEmpty: return .operation(.clear)
        case "repeat":
            let modes: [String: RepeatMode] = ["off": .off, "one": .one, "all": .all]
            guard rest.count == 1, let mode = modes[rest[0]] else {
                throw UsageError("write: tutti queue repeat off, one or all")
            }
            return .operation(.setRepeat(mode))
        case "shuffle":
            guard rest == ["on"] || rest == ["off"] else { throw UsageError("write: tutti queue shuffle on, or off") }
            return .operation(.setShuffle(rest == ["on"]))
        default:
            let verbs = ["add", "insert", "remove", "move", "play", "repeat", "shuffle", "clear"]
            let advice = verb.nearest(among: verbs).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError("'\(words.joined(separator: " "))' is no change of the queue\(advice)")
        }
    }

    /// - Parameter form: how the command is written.
    private static func songs(
        _ words: [String], _ further: SongFlags?, _ form: String
    ) throws(UsageError) -> [String] {
        guard !words.isEmpty || further != nil, !words.contains("") else {
            throw UsageError("SONG is missing: tutti queue \(form)")
        }
        guard !words.contains("-") else { throw UsageError("standard input cannot be queued") }
        return words
    }

    private static func onlyNumber(_ words: [String]) throws(UsageError) -> Int {
        guard words.count == 1 else { throw UsageError("the song's number is missing: `tutti queue` shows it") }
        return try number(words, 0)
    }

    /// Returns the position, from 0, that the word names from 1.
    private static func number(_ words: [String], _ index: Int) throws(UsageError) -> Int {
        guard words.count > index, let number = Int(words[index]), (1...Int(Int32.max)).contains(number) else {
            throw UsageError("a song's number is a whole number from 1: `tutti queue` shows it")
        }
        return number - 1
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            switch request {
            case .list: try list()
            case .operation(let operation): try perform([operation])
            case .add(let songs, let further): try perform(batches(songs, further).map { .add($0) })
            case .insert(let songs, let further, let position):
                var place = position
                var operations: [ProgrammeOperation] = []
                for batch in try batches(songs, further) {
                    operations.append(.insert(batch, at: place))
                    place += batch.count
                }
                try perform(operations)
            }
        }
    }

    private func perform(_ operations: [ProgrammeOperation]) throws(RuntimeFailure) {
        try ControlRun(
            target: target, requests: operations.map { .command(TuttiRuntime.Command(.programme($0))) }
        ).run { _ in }
    }

    /// Returns the songs behind the names, in as many lists as commands are needed for them.
    private func batches(_ names: [String], _ further: SongFlags?) throws(RuntimeFailure) -> [[ItemSource]] {
        let found = try further?.paths() ?? []
        do throws(SongFailure) {
            let songs = try QueuedSongs(names, found: found)
            for problem in songs.problems { StandardStream.error.write("tutti: \(problem)".terminalSafe + "\n") }
            return ItemSource.batches(of: songs.sources)
        } catch {
            throw RuntimeFailure(error)
        }
    }

    private func list() throws(RuntimeFailure) {
        let found = Mutex<(items: [QueueItem], current: UInt32?)>(([], nil))
        try ControlRun(target: target, requests: [.state, .queue]).run { answer in
            found.withLock { found in
                switch answer {
                case .state(let state, _): found.current = state.status.current?.id.number
                case .page(let page): found.items += page.items
                case .connected, .outcome, .found, .foundNothing, .failed, .sending: break
                }
            }
        }
        let (items, current) = found.withLock { $0 }
        if isJSON {
            ListOutput.write(items.enumerated().map { $1.json(position: $0 + 1, isCurrent: $1.id.number == current) })
        } else if items.isEmpty {
            StandardStream.output.write("the queue is empty\n")
        } else {
            ListOutput.write(Self.table(items, current: current))
        }
    }

    static func table(_ items: [QueueItem], current: UInt32?) -> Table {
        var table = Table(columns: [
            .init(title: "", dropOrder: 3),
            .init(title: "no", alignment: .right, dropOrder: 1),
            .init(title: "song", dropOrder: 0),
            .init(title: "length", alignment: .right, dropOrder: 2),
        ])
        table.rows = items.enumerated().map { index, item in
            [
                .init(text: item.id.number == current ? ">" : ""),
                .init(text: "\(index + 1)"),
                .init(text: item.headline.terminalSafe + (item.hasFailed ? " (cannot be played)" : "")),
                .init(text: item.isLive ? "live" : item.duration?.clockReading ?? ""),
            ]
        }
        return table
    }
}

extension QueueCommand.Request {
    fileprivate var takesSongs: Bool {
        switch self {
        case .add, .insert: true
        case .list, .operation: false
        }
    }
}
