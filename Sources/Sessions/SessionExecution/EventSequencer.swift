/// Hands events to a session one at a time.
///
/// An event that an action brings about waits until that action's fellows are done, so that messages keep their order.
/// Confined to its owner's event loop.
public final class EventSequencer<Event> {
    private var waiting: [Event] = []
    private var isHandling = false

    public init() {}

    /// Has `handle` take the event, and then all that come about meanwhile; from within `handle`, only remembers it.
    public func pass(_ event: Event, to handle: (Event) -> Void) {
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !waiting.isEmpty { handle(waiting.removeFirst()) }
        isHandling = false
    }
}
