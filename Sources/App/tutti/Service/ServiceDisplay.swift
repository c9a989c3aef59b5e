import AudioCore
import ServiceManager
import TuttiRuntime

/// Shows events to the journal where standard error goes there, else as lines; and to the service manager.
struct ServiceDisplay: EventDisplay {
    let interval = TimeSpan.zero
    private var view: ServiceView
    private var json: JSONDisplay?
    private let journal: Journal?
    private let keeper: ServiceKeeper
    private var shownStatus: String?

    init(_ flags: DisplayFlags, journal: Journal?, keeper: ServiceKeeper) {
        view = ServiceView(level: flags.level)
        json = flags.isJSON ? JSONDisplay(level: flags.level) : nil
        self.journal = journal
        self.keeper = keeper
    }

    /// Returns true: a service goes on where nobody reads.
    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool {
        for event in batch.events {
            let lines = view.lines(for: event, now: now)
            if json == nil { lines.forEach(write) }
            if event.isOfReadiness { keeper.ready() }
        }
        _ = json?.show(batch, now: now)
        if view.status != shownStatus {
            shownStatus = view.status
            keeper.show(status: view.status)
        }
        return true
    }

    func finish(_ result: SessionResult, exitCode: Int32) {
        if let json { return json.finish(result, exitCode: exitCode) }
        let message = result.failure?.sentence ?? result.outcomeName
        let plain = result.failure == nil ? PlainView.Line(message) : .init("tutti: \(message)", to: .error)
        let entry = JournalEntry(
            result.failure == nil ? .information : .error, plain.text,
            [
                .init(.event, result.failure == nil ? "service.ended" : "service.failed"),
                .init(.exitCode, "\(exitCode)"),
            ])
        write(ServiceView.Line(plain: plain, entry: entry))
    }

    private func write(_ line: ServiceView.Line) {
        if journal?.write(line.entry) == true { return }
        line.plain.stream.write(line.plain.text + "\n")
    }
}

extension DisplayEvent {
    /// Whether it says that the service does what it can.
    fileprivate var isOfReadiness: Bool {
        switch self {
        case .runtime(.notice(.network(.listening))), .runtime(.notice(.household(.waiting))): true
        case .service(.waiting), .service(.unchanged), .service(.notReloaded): true
        default: false
        }
    }
}
