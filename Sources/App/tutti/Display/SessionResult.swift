import TuttiRuntime

/// How a session ended, for the display.
enum SessionResult: Hashable, Sendable {
    case completed
    case interrupted
    case failed(RuntimeFailure)

    var outcomeName: String {
        switch self {
        case .completed: "completed"
        case .interrupted: "interrupted"
        case .failed: "failed"
        }
    }

    var failure: RuntimeFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
