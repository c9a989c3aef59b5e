import TuttiRuntime

/// An event for a display to show.
enum DisplayEvent: Sendable {
    case runtime(RuntimeEvent)
    /// A warning of the command itself, one line for people.
    case warning(String)
}
