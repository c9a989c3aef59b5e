import TuttiRuntime
import WebRemote

/// An event for a display to show.
enum DisplayEvent: Sendable {
    case runtime(RuntimeEvent)
    /// A warning of the command itself, one line for people.
    case warning(String)
    /// Something about the page for browsers.
    case page(WebNotice)
    /// Something about the command as a service.
    case service(ServiceNotice)
    /// Lines that the user asked for.
    case lines([String])
}
