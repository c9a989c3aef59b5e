import TuttiRuntime

/// What a display is given to show.
enum DisplayEvent: Sendable {
    case runtime(RuntimeEvent)
    /// The command's own, one line for people.
    case warning(String)
}
