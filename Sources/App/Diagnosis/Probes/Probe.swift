import AudioCore
import HostSystem
import Synchronization

/// Something that is looked at on a thread of its own, since it may hang: a sound server, D-Bus, a disk.
final class Probe<Facts: Sendable>: Sendable {
    private final class Result: Sendable {
        let facts = Mutex<Facts?>(nil)
    }

    private let result: Result
    /// Nil if the system gives no more threads.
    private let thread: HostThread?

    /// Begins to look.
    /// - Parameter name: of the thread; at most 15 bytes are kept.
    init(_ name: String, _ look: @escaping @Sendable () -> Facts) {
        let result = Result()
        thread = try? HostThread(name: name) {
            let facts = look()
            result.facts.withLock { $0 = facts }
        }
        self.result = result
    }

    /// Waits for what was found, until an instant. A thread that hangs is left behind, with what it holds.
    /// - Returns: nil if it is not over by then.
    func facts(by deadline: HostTime) -> Facts? {
        if let thread, !thread.join(atMost: max(.milliseconds(1), deadline - .now())) { return nil }
        return result.facts.withLock { $0 }
    }
}
