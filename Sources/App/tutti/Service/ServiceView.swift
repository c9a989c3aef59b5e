import AudioCore
import ServiceManager
import TerminalIO
import TuttiRuntime

/// Events as lines and as entries of the journal, and what goes on as one line for the service manager. Pure.
///
/// The same lines as a pipe has, but no status every few seconds, which would fill a journal: the manager shows that.
struct ServiceView: Sendable {
    struct Line: Hashable, Sendable {
        var plain: PlainView.Line
        var entry: JournalEntry
    }

    /// What a service waits for, where it waits.
    private enum Obstacle: Hashable {
        case session(RuntimeFailure)
        case device(String)
    }

    private var view: PlainView
    private var obstacle: Obstacle?
    private var activity = "beginning"
    /// What comes after that is the end of what went on before.
    private var isStopping = false

    init(level: DisplayFlags.Level) {
        view = PlainView(level: level)
        view.repeatsStatus = level == .verbose
    }

    /// One line for people: what it does, or what it waits for.
    var status: String {
        if isStopping { return "stopping" }
        return switch obstacle {
        case .session(let failure): "waiting: \(failure.sentence)".terminalSafe
        case .device(let sentence): "waiting for a sound device: \(sentence)".terminalSafe
        case nil: activity.terminalSafe
        }
    }

    /// Returns the lines to write for an event.
    mutating func lines(for event: DisplayEvent, now: HostTime) -> [Line] {
        note(event)
        return view.lines(for: event, now: now).map { line in
            var entry = JournalEntry(event, text: line.text)
            entry.message = entry.message.terminalSafe
            return Line(plain: line, entry: entry)
        }
    }

    private mutating func note(_ event: DisplayEvent) {
        switch event {
        case .service(.waiting(let failure)): obstacle = .session(failure)
        case .service(.begins): if case .session = obstacle { obstacle = nil }
        case .service(.changed): obstacle = nil
        case .service(.stopping): isStopping = true
        case .runtime(.notice(.device(.vanished(let error)))): obstacle = .device(error.sentence)
        case .runtime(.notice(.device(.returned))): obstacle = nil
        case .runtime(.notice(.household(.waiting(let name)))): activity = "waiting to be let into \(name)"
        case .runtime(.listening(let status, let song, let broadcaster)):
            activity = Self.activity(status, song, broadcaster)
        default: break
        }
    }

    private static func activity(_ status: ListenerStatus, _ song: SongStatus?, _ broadcaster: String?) -> String {
        guard let broadcaster else { return "waiting for a broadcast" }
        let headline = song.map { ": \($0.headline)" } ?? ""
        return "\(broadcaster), \(status.stateReading)\(headline)"
    }
}
