/// Hands events to a session one at a time.
///
/// An event that an action causes waits until the other actions of the same event are done, so that messages keep their
/// order. Confined to its owner's event loop.
public final class EventSequencer<Event> {
    private var waiting: [Event] = []
    private var isHandling = false

    public init() {}

    /// Passes the event to `handle`, then all events that this causes; within `handle`, only queues it.
    public func pass(_ event: Event, to handle: (Event) -> Void) {
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !waiting.isEmpty { handle(waiting.removeFirst()) }
        isHandling = false
    }
}
