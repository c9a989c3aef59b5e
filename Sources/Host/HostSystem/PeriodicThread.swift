import AudioCore
import Synchronization

/// A thread that does the same again and again, with a pause between, until it is stopped: for what tells nobody that
/// it changed, and has to be looked at.
public final class PeriodicThread: Sendable {
    private let name: String
    private let pause: TimeSpan
    private let wake: WakeSignal
    private let isStopped = Mutex(false)
    private let thread = Mutex<HostThread?>(nil)

    /// Does not start it yet.
    /// - Parameters:
    ///   - name: as `top -H` shows it; at most 15 bytes are kept.
    ///   - pause: from the end of one call to the next; a minute at most.
    /// - Throws: if the process has no file descriptor left.
    public init(name: String, pause: TimeSpan) throws(DescriptorError) {
        self.name = name
        self.pause = pause
        wake = try WakeSignal()
    }

    /// Calls `body` on the thread: at once, and then after each pause, until ``stop()``. Call it once.
    /// - Throws: if the system has no room for another thread.
    public func start(_ body: @escaping @Sendable () -> Void) throws(HostThreadError) {
        let thread = try HostThread(name: name) { self.run(body) }
        self.thread.withLock { $0 = thread }
    }

    /// Ends it, from any other thread, and waits until a call that is under way has returned.
    public func stop() {
        isStopped.withLock { $0 = true }
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    private func run(_ body: () -> Void) {
        while !isStopped.withLock({ $0 }) {
            body()
            wake.wait(atMost: pause)
        }
    }
}
