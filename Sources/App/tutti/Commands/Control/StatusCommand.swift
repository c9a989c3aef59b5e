import AudioCore
import Synchronization
import TuttiRuntime
import WireProtocol

/// `tutti status`
struct StatusCommand: Command {
    static let watch = CommandSyntax.Option.flag("--watch", "Go on to show every change, until Ctrl-C.")

    static let syntax = CommandSyntax(
        name: "status",
        summary: "Shows what a broadcast plays, where it is, and how its listeners are set.",
        operands: [],
        options: [watch, ControlFlags.at, DisplayFlags.json, .help],
        notes: [
            "With --json: one object with the whole state; with --watch then one for each change, by its number, and at "
                + "the broadcast's end one with how it ended. A position is seconds at a time of the broadcaster's "
                + "clock: nothing is sent while it goes on as expected.",
            "--watch ends with the broadcast, with exit code 0 if that did not fail.",
            ControlFlags.exitCodes,
        ],
        examples: [
            .init(command: "tutti status", meaning: "song, place and listeners"),
            .init(command: "tutti status --watch --json", meaning: "for programs"),
        ])

    let target: ControlTarget
    let isJSON: Bool
    let watches: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        isJSON = arguments.has(DisplayFlags.json)
        watches = arguments.has(Self.watch)
    }

    func run() -> Int32 {
        do throws(RuntimeFailure) {
            let broadcaster = Mutex("")
            // What changes are told against.
            let former = Mutex<ProgrammeState?>(nil)
            try ControlRun(target: target, requests: [watches ? .changes : .state]).run { [isJSON] answer in
                switch answer {
                case .connected(let name): broadcaster.withLock { $0 = name }
                case .state(let state, nil):
                    let name = broadcaster.withLock { $0 }
                    if isJSON { ListOutput.write([state.json(of: name)]) } else { Self.show(state, of: name) }
                case .state(_, let change?):
                    let lines = former.withLock { change.lines(after: $0) }
                    if isJSON {
                        ListOutput.write([change.json])
                    } else {
                        StandardStream.output.write(lines.map { $0.terminalSafe + "\n" }.joined())
                    }
                case .outcome, .page: break
                }
                if case .state(let state, _) = answer { former.withLock { $0 = state } }
            }
            return 0
        } catch {
            // Whoever watches to the end has seen all there was.
            if watches, case .control(.ended(_, let end), _) = error.reason, end.kind != .failed {
                if isJSON {
                    ListOutput.write([.object(["end": .string("\(end.kind)")])])
                } else {
                    StandardStream.output.write(error.sentence.terminalSafe + "\n")
                }
                return 0
            }
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }

    private static func show(_ state: ProgrammeState, of broadcaster: String) {
        StandardStream.output.write(([broadcaster] + state.lines).map { $0.terminalSafe + "\n" }.joined())
        StandardStream.output.write(state.listeners.isEmpty ? "no listeners\n" : "\n")
        if !state.listeners.isEmpty { ListOutput.write(table(state.listeners)) }
    }

    static func table(_ listeners: [ProgrammeListener]) -> Table {
        var table = Table(columns: [
            .init(title: "listener", dropOrder: 0),
            .init(title: "state", dropOrder: 1),
            .init(title: "volume", alignment: .right, dropOrder: 2),
            .init(title: "role", dropOrder: 4),
            .init(title: "offset", alignment: .right, dropOrder: 5),
            .init(title: "error", alignment: .right, dropOrder: 3),
        ])
        table.rows = listeners.map { listener in
            let settings = listener.settings
            return [
                .init(text: listener.name.terminalSafe, style: .strong),
                .init(text: listener.state.rawValue),
                .init(text: settings.map(\.volume.reading) ?? ""),
                .init(text: settings.flatMap { $0.role == .stereo ? nil : $0.role.reading } ?? ""),
                .init(text: settings.flatMap { $0.offset == .zero ? nil : $0.offset.reading(.ascii) } ?? ""),
                .init(text: listener.timing.map { "\($0.error.reading(.ascii)) +- \($0.bound.reading(.ascii))" } ?? ""),
            ]
        }
        return table
    }
}

extension VolumeSetting {
    /// `40`, or `40 muted`
    var reading: String { isMuted ? "\(level) muted" : "\(level)" }
}

extension ProgrammeState {
    /// For people; what listeners do is not among it.
    var lines: [String] {
        var lines = ["\(status.reading(at: sent))"]
        if let next = status.next { lines.append("next: \(next.title)") }
        var queue = "queue: \(itemCount) song\(itemCount == 1 ? "" : "s")"
        switch modes.repeats {
        case .off: break
        case .one: queue += ", this one again and again"
        case .all: queue += ", again and again"
        }
        if modes.isShuffled { queue += ", in random order" }
        lines.append(queue)
        if volume != VolumeSetting() { lines.append("volume of the group: \(volume.reading)") }
        return lines
    }

    func json(of broadcaster: String) -> JSONValue {
        .object([
            "broadcaster": .string(broadcaster), "sequence": .integer(Int64(clamping: sequence)),
            "sent": .number(sent.seconds, decimals: 6),
            "status": status.json, "modes": modes.json, "items": .integer(Int64(itemCount)),
            "volume": volume.json, "listeners": .array(listeners.map(\.json)),
        ])
    }
}

extension TransportStatus {
    /// `playing: Title, 1:23 of 4:56`; `waiting: Title` while its first listener or its source is not there.
    func reading(at instant: SessionTime) -> String {
        let word =
            switch transport {
            case .idle: "idle"
            case .playing: position == nil && current != nil ? "waiting" : "playing"
            case .paused: "paused"
            case .stopped: "stopped"
            }
        guard let current else { return word }
        var text = "\(word): \(current.title)"
        if current.isLive {
            text += ", live"
        } else if let position {
            text += ", \(position.time(at: instant).clockReading)"
            if let duration = current.duration { text += " of \(duration.clockReading)" }
        }
        return text
    }

    var json: JSONValue {
        .object([
            "transport": .string("\(transport)"), "current": current.json, "next": next.json,
            "position": position.map { position in
                .object([
                    "seconds": .number(position.time(at: position.session).seconds, decimals: 6),
                    "at": .number(position.session.seconds, decimals: 6),
                    "rate": .number((position.framesPerSecond ?? 0) / position.sampleRate, decimals: 9),
                ])
            } ?? .null,
        ])
    }
}

extension SessionTime {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension QueueItem? {
    fileprivate var json: JSONValue {
        guard let item = self else { return .null }
        return .object([
            "id": .integer(Int64(item.id.number)), "title": .string(item.title),
            "seconds": item.duration.map { .number($0.seconds, decimals: 3) } ?? .null, "live": .bool(item.isLive),
            "failed": .bool(item.hasFailed),
        ])
    }
}

extension PlayModes {
    fileprivate var json: JSONValue {
        .object(["repeat": .string("\(repeats)"), "shuffle": .bool(isShuffled)])
    }
}

extension VolumeSetting {
    fileprivate var json: JSONValue { .object(["level": .integer(Int64(level)), "muted": .bool(isMuted)]) }
}

extension ProgrammeListener {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "instance": .string(String(instance, radix: 16)), "state": .string(state.rawValue),
            "volume": settings?.volume.json ?? .null, "role": .optional(settings?.role.description),
            "offsetMicroseconds": settings.map { .number($0.offset.microseconds, decimals: 0) } ?? .null,
            "errorMicroseconds": timing.map { .number($0.error.microseconds, decimals: 1) } ?? .null,
            "boundMicroseconds": timing.map { .number($0.bound.microseconds, decimals: 1) } ?? .null,
        ])
    }
}

extension ProgrammeChange {
    /// For people; none for what they need not see.
    /// - Parameter former: the state before this change.
    func lines(after former: ProgrammeState?) -> [String] {
        switch kind {
        case .status(let status): lines(of: status, after: former?.status)
        case .listenerGone(let instance):
            ["\(former?.listeners.first { $0.instance == instance }?.name ?? "a listener") left"]
        default: line.map { [$0] } ?? []
        }
    }

    /// Returns the status, and what plays next, as far as they changed.
    private func lines(of status: TransportStatus, after former: TransportStatus?) -> [String] {
        var others = status
        others.next = former?.next
        let isShown = others != former
        let next: String? =
            if status.next == former?.next {
                nil
            } else if let item = status.next {
                "next: \(item.title)"
            } else {
                // A song that begins as the last one needs no remark.
                isShown ? nil : "next: nothing"
            }
        return (isShown ? [status.reading(at: effect)] : []) + (next.map { [$0] } ?? [])
    }

    private var line: String? {
        switch kind {
        case .status, .listenerGone: nil
        case .modes(let modes): "repeat \(modes.repeats), shuffle \(modes.isShuffled ? "on" : "off")"
        case .queue(_, let count): "queue: \(count) song\(count == 1 ? "" : "s")"
        case .item(let item): item.hasFailed ? "\(item.title): cannot be played" : nil
        case .volume(let volume): "volume of the group: \(volume.reading)"
        case .listener(let listener):
            "\(listener.name): \(listener.state.rawValue)"
                + (listener.settings.map { ", volume \($0.volume.reading)" } ?? "")
        case .command(let entry): "\(entry.who): \(entry.operation.reading)"
        case .unknown: nil
        }
    }

    var json: JSONValue {
        let (name, value): (String, JSONValue) =
            switch kind {
            case .status(let status): ("status", status.json)
            case .modes(let modes): ("modes", modes.json)
            case .queue(let edit, let count):
                ("queue", .object(["edit": .string("\(edit)"), "items": .integer(Int64(count))]))
            case .item(let item): ("item", QueueItem?.some(item).json)
            case .volume(let volume): ("volume", volume.json)
            case .listener(let listener): ("listener", listener.json)
            case .listenerGone(let instance): ("gone", .string(String(instance, radix: 16)))
            case .command(let entry):
                ("command", .object(["who": .string(entry.who), "what": .string(entry.operation.reading)]))
            case .unknown: ("unknown", .null)
            }
        return .object([
            .init(key: "sequence", value: .integer(Int64(clamping: sequence))),
            .init(key: "effect", value: .number(effect.seconds, decimals: 6)), .init(key: name, value: value),
        ])
    }
}

extension CommandOperation {
    /// As its command is written: `pause`, `seek 1:30`.
    var reading: String {
        switch self {
        case .programme(let operation): operation.reading
        case .listeners(.volume(let change), let target): "volume\(target.reading) \(change.reading)"
        case .listeners(.offset(let offset), let target):
            "offset\(target.reading) \(offset.microseconds.fixed(0))"
        case .listeners(.role(let role), let target): "role\(target.reading) \(role)"
        case .unknown: "unknown"
        }
    }
}

extension ProgrammeOperation {
    fileprivate var reading: String {
        switch self {
        case .play, .pause, .resume, .toggle, .stop, .next, .previous: "\(self)"
        case .seek(let time): "seek \(time.clockReading)"
        case .skip(let span): "seek \(span < .zero ? "-" : "+")\(span.magnitude.clockReading)"
        case .jump: "queue play"
        case .add(let sources): "queue add (\(sources.count))"
        case .insert(let sources, _): "queue insert (\(sources.count))"
        case .remove: "queue remove"
        case .move: "queue move"
        case .clear: "queue clear"
        case .setRepeat(let mode): "queue repeat \(mode)"
        case .setShuffle(let isOn): "queue shuffle \(isOn ? "on" : "off")"
        }
    }
}

extension ListenerTarget {
    fileprivate var reading: String { if case .named(let name) = self { " \(name)" } else { "" } }
}

extension VolumeChange {
    fileprivate var reading: String {
        switch self {
        case .level(let level): "\(level)"
        case .step(let step): step < 0 ? "\(step)" : "+\(step)"
        case .mute: "mute"
        case .unmute: "unmute"
        case .toggleMute: "mute or unmute"
        }
    }
}
