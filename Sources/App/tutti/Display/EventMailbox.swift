import AudioCore
import HostSystem
import Synchronization
import TuttiRuntime

/// Events on their way from the runtime's threads to the display's thread, so that nobody waits for a slow terminal.
///
/// A status replaces an older one that waits right before it. Beyond ``capacity`` events the oldest are dropped and
/// counted.
final class EventMailbox: Sendable {
    static let capacity = 256

    struct Batch {
        var events: [DisplayEvent] = []
        var droppedCount = 0
        /// The last batch: nothing follows.
        var isLast = false
    }

    private let waiting = Mutex(Batch())
    private let wake: WakeSignal

    init() throws(DescriptorError) { wake = try WakeSignal() }

    /// Adds an event. Any thread may call it; never blocks for long.
    func post(_ event: DisplayEvent) {
        waiting.withLock { batch in
            if let last = batch.events.last, event.isNewerStatus(than: last) {
                batch.events[batch.events.count - 1] = event
                return
            }
            if batch.events.count == Self.capacity {
                batch.events.removeFirst()
                batch.droppedCount += 1
            }
            batch.events.append(event)
        }
        wake.signal()
    }

    /// Marks the end: nothing is posted after this.
    func finish() {
        waiting.withLock { $0.isLast = true }
        wake.signal()
    }

    /// Wakes the waiting thread without an event.
    func nudge() { wake.signal() }

    var isFinished: Bool { waiting.withLock { $0.isLast } }

    func wait(atMost span: TimeSpan) { wake.wait(atMost: span) }

    /// Takes everything that waits.
    func take() -> Batch {
        waiting.withLock { batch in
            defer { batch = Batch(isLast: batch.isLast) }
            return batch
        }
    }
}

extension DisplayEvent {
    fileprivate func isNewerStatus(than other: DisplayEvent) -> Bool {
        switch (self, other) {
        case (.runtime(.broadcast), .runtime(.broadcast)), (.runtime(.listening), .runtime(.listening)): true
        default: false
        }
    }
}
