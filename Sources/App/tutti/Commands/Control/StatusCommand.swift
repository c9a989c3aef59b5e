import AudioCore
import ProgrammeJSON
import Synchronization
import TerminalIO
import TuttiRuntime
import WebRemote
import WireProtocol

/// `tutti status`
struct StatusCommand: Command {
    static let qr = CommandSyntax.Option.flag(
        "--qr", "Show where the broadcast's page for browsers is, as an address and as a QR code.")
    static let watch = CommandSyntax.Option.flag("--watch", "Go on to show every change, until Ctrl-C.")

    static let syntax = CommandSyntax(
        name: "status",
        summary: "Shows what a broadcast plays, where it is, and how its listeners are set.",
        operands: [],
        options: [watch, qr, ControlFlags.at, DisplayFlags.json, .help],
        notes: [
            "With --json: one object with the whole state; with --watch then one for each change, by its number, and at "
                + "the broadcast's end one with how it ended. A position is seconds at a time of the broadcaster's "
                + "clock: nothing is sent while it goes on as expected.",
            "--watch ends with the broadcast, with exit code 0 if that did not fail.",
            ControlFlags.exitCodes,
        ],
        examples: [
            .init(command: "tutti status", meaning: "song, place and listeners"),
            .init(command: "tutti status --qr", meaning: "a code for a guest's phone"),
            .init(command: "tutti status --watch --json", meaning: "for programs"),
        ])

    let target: ControlTarget
    let isJSON: Bool
    let watches: Bool
    let showsPage: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        target = try ControlFlags.target(arguments)
        isJSON = arguments.has(DisplayFlags.json)
        watches = arguments.has(Self.watch)
        showsPage = arguments.has(Self.qr)
        if watches, showsPage { throw UsageError(exclusive: [Self.watch, Self.qr]) }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            do throws(RuntimeFailure) {
                if showsPage { try showPage() } else { try show() }
            } catch {
                // Whoever watches to the end has seen all there was.
                guard watches, case .control(.ended(_, let end), _) = error.reason, end.kind != .failed else {
                    throw error
                }
                if isJSON {
                    ListOutput.write([.object(["end": .string("\(end.kind)")])])
                } else {
                    StandardStream.output.write(error.sentence.terminalSafe + "\n")
                }
            }
        }
    }

    private func show() throws(RuntimeFailure) {
        let broadcaster = Mutex("")
        // What changes are told against.
        let former = Mutex<ProgrammeState?>(nil)
        try ControlRun(target: target, requests: [watches ? .changes : .state]).run { [isJSON] answer in
            switch answer {
            case .connected(let name, _): broadcaster.withLock { $0 = name }
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
            case .outcome, .page, .found, .foundNothing, .failed, .sending: break
            }
            if case .state(let state, _) = answer { former.withLock { $0 = state } }
        }
    }

    private func showPage() throws(RuntimeFailure) {
        let found = Mutex<(place: BroadcastPlace, page: PageLocation?)>((.thisMachine, nil))
        try ControlRun(target: target, requests: [.state]).run { answer in
            switch answer {
            case .connected(_, let place): found.withLock { $0.place = place }
            case .state(let state, _): found.withLock { $0.page = state.page }
            case .outcome, .page, .found, .foundNothing, .failed, .sending: break
            }
        }
        let (place, page) = found.withLock { $0 }
        PageDisplay.show(try Self.address(place, page), isJSON: isJSON)
    }

    static func address(_ place: BroadcastPlace, _ page: PageLocation?) throws(RuntimeFailure) -> PageAddress {
        guard let page else {
            throw RuntimeFailure(
                .unavailable,
                .other(
                    "the broadcast has no page for browsers: it was begun with --no-web, or its machine is in a "
                        + "household and has no guests ('tutti guests add' there makes one)"))
        }
        switch place {
        case .thisMachine: return PageAddress.best(page)
        case .host(let host): return PageAddress(page, host: host)
        case .beyondListener:
            throw RuntimeFailure(
                .unavailable,
                .other("the broadcast is another machine's: write --at NAME, or ask there for 'tutti status --qr'"))
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
