import AudioCore
import SimulationKit
import WireProtocol

/// What must be so of commands, their outcomes, and whoever follows the programme.
extension CommandScenario {
    /// Whoever asks has exit or sound within a second; over radio both ways may lose a segment.
    private static let longestWait = TimeSpan.seconds(1)
    private static let longestWaitOnRadio = longestWait + TimeSpan(seconds: 2 * CommandedListener.longestDelay)

    var findingsOfDialogue: [Finding] {
        findingsOfOutcomes + findingsOfLog + findingsOfPauses + findingsOfFollowers + findingsOfSettings
    }

    /// Each command was done once or refused, and whoever asked was told the same each time it asked.
    private var findingsOfOutcomes: [Finding] {
        var findings: [Finding] = []
        for controller in controllers {
            for command in controller.asked {
                let outcomes = controller.outcomes[command.id] ?? []
                if Set(outcomes.map(\.verdict)).count != 1 {
                    findings.append(Finding(.lost, "\(controller.name) asked \(command): \(outcomes)"))
                }
                if case .refused? = outcomes.first?.verdict, outcomes[0].text.isEmpty {
                    findings.append(Finding(.lost, "\(command) is refused without a reason"))
                }
                let limit = controller === controllers[0] ? Self.longestWait : Self.longestWaitOnRadio
                // The last one loses its connections.
                if controller !== controllers.last, let wait = controller.waits[command.id], wait > limit {
                    findings.append(Finding(.lateStart, "\(command) was answered after \(wait.seconds) s"))
                }
            }
        }
        return findings
    }

    /// Nothing was done that nobody asked for, nothing twice, in one order.
    private var findingsOfLog: [Finding] {
        var done: [CommandID: UInt64] = [:]
        for controller in controllers {
            for command in controller.asked {
                if case .done(let number, _)? = controller.outcomes[command.id]?.first?.verdict {
                    done[command.id] = number
                }
            }
        }
        let log = controllers[0].log
        var findings: [Finding] = []
        if log.map(\.number) != log.indices.map({ UInt64($0) + 1 }) {
            findings.append(Finding(.lost, "numbers of the log: \(log.map(\.number))"))
        }
        for entry in log where done[entry.id] != entry.number {
            findings.append(Finding(.lost, "\(entry) was not asked for, or was done twice"))
        }
        if log.count != done.count { findings.append(Finding(.lost, "\(done.count) done, \(log.count) in the log")) }
        if !zip(log, log.dropFirst()).allSatisfy({ $0.effect <= $1.effect }) {
            findings.append(Finding(.lost, "effects are not in the log's order"))
        }
        return findings
    }

    /// From when a pause or a stop takes effect nothing is due, until a command takes effect that may end it.
    private var findingsOfPauses: [Finding] {
        let log = controllers[0].log
        return log.indices.flatMap { index -> [Finding] in
            guard log[index].operation.isOfSilence else { return [] }
            let next = log[(index + 1)...].first { $0.operation.mayEndSilence }
            let (start, end) = (trueSeconds(log[index].effect), next.map { trueSeconds($0.effect) } ?? .infinity)
            return broadcaster.stretches.compactMap { stretch in
                guard let first = stretch.startSeconds, let last = stretch.endSeconds, first < last,
                    first < end - Self.frame, last > start + Self.frame
                else { return nil }
                return Finding(.stray, "\(stretch.epoch) is due \(first)...\(last), \(log[index]) at \(start)...\(end)")
            }
        }
    }

    /// A cut is put to a whole frame.
    private static let frame = 1 / VirtualSong.sampleRate

    private func trueSeconds(_ session: SessionTime) -> Double {
        broadcaster.machine.clock.trueTime(of: HostTime(nanoseconds: session.nanoseconds)).seconds
    }

    /// All who follow know the same, whatever way it came to them.
    private var findingsOfFollowers: [Finding] {
        var findings: [Finding] = []
        for controller in controllers {
            if controller.gapCount > 0 { findings.append(Finding(.lost, "\(controller.name) missed changes")) }
            var state = controller.state
            state?.sent = controllers[0].state?.sent ?? SessionTime(nanoseconds: 0)
            if state == nil || state != controllers[0].state {
                let states = [state, controllers[0].state].map { String(describing: $0) }
                findings.append(Finding(.lost, "\(controller.name): \(states[0]), not \(states[1])"))
            }
            if controller.pages.isEmpty || controller.pages.map(\.items) != controllers[0].pages.map(\.items) {
                findings.append(Finding(.lost, "\(controller.name) has another queue: \(controller.pages)"))
            }
            // One that lost its connection was sent the state anew.
            if controller === controllers.last { continue }
            if controller.log != controllers[0].log { findings.append(Finding(.lost, "\(controller.name)'s log")) }
        }
        return findings
    }

    /// Every listener is set as the log says, and as all who follow believe.
    private var findingsOfSettings: [Finding] {
        var findings: [Finding] = []
        var settings: [String: ListenerSettings] = [:]
        for entry in controllers[0].log {
            guard case .listeners(let operation, .named(let name)) = entry.operation else { continue }
            settings[name, default: ListenerSettings()].apply(operation)
        }
        for listener in listeners where listener.left == .infinity {
            let (name, own) = (listener.node.name, listener.node.loudspeakers.last)
            let shown = controllers[0].state?.listeners.first { $0.name == name }?.settings
            let commanded = settings[name] ?? ListenerSettings()
            if own.settings != commanded || shown != commanded {
                let text = "\(name) is \(own.settings), shown as \(String(describing: shown)), commanded \(commanded)"
                findings.append(Finding(.lost, text))
            }
            if own.group != controllers[0].state?.volume {
                findings.append(Finding(.lost, "\(name) has the group's volume at \(own.group)"))
            }
        }
        return findings
    }
}

extension CommandOperation {
    fileprivate var isOfSilence: Bool {
        switch self {
        case .programme(.pause), .programme(.stop): true
        default: false
        }
    }

    fileprivate var mayEndSilence: Bool {
        switch self {
        case .programme(.play), .programme(.resume), .programme(.toggle), .programme(.next), .programme(.previous),
            .programme(.jump):
            true
        default: false
        }
    }
}
