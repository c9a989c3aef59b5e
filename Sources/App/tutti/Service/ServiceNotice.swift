import TuttiRuntime

/// A notice about a command as a service.
enum ServiceNotice: Hashable, Sendable {
    /// It cannot begin for now, and tries again.
    case waiting(RuntimeFailure)
    /// What it waited for is there.
    case begins
    /// The configuration was read anew, and says what it said.
    case unchanged
    /// It says something else, which is in force when the session has begun anew.
    case changed
    /// It is of no use; what was in force stays in force.
    case notReloaded(UsageError)
    case stopping
    /// The session has not ended in time.
    case stuck

    var level: NoticeLevel {
        switch self {
        case .waiting, .notReloaded, .stuck: .warning
        case .begins, .unchanged, .changed: .info
        case .stopping: .detail
        }
    }

    /// For people, one line.
    var sentence: String {
        switch self {
        case .waiting(let failure): "waiting: \(failure.sentence)"
        case .begins: "what was waited for is there"
        case .unchanged: "read the configuration: nothing changed"
        case .changed: "read the configuration: beginning anew with what changed"
        case .notReloaded(let error): "the configuration is of no use, what was in force stays so: \(error.message)"
        case .stopping: "stopping"
        case .stuck: "ended without a goodbye: it took too long"
        }
    }

    /// The word that the journal has for it.
    var journalEvent: String {
        switch self {
        case .waiting: "service.waiting"
        case .begins: "service.begins"
        case .unchanged: "service.unchanged"
        case .changed: "service.changed"
        case .notReloaded: "service.not-reloaded"
        case .stopping: "service.stopping"
        case .stuck: "service.stuck"
        }
    }
}
