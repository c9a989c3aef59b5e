import AudioCore
import CLinux
import Glibc
import Synchronization

/// An operating system thread that runs one closure and can be joined.
///
/// Swift's tasks share a pool and may move between threads. Loops that wait on a device, or need their own scheduling
/// class, need their own thread. Dropping the last reference does not end the thread.
public final class HostThread: Sendable {
    private let handle: Mutex<pthread_t?>
    private let ending: Ending

    /// Starts the thread.
    /// - Parameter name: as `top -H` shows it; at most 15 bytes are kept.
    /// - Throws: if the system has no room for another thread.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(HostThreadError) {
        let ending = Ending()
        self.ending = ending
        let start = Unmanaged.passRetained(Start(name: name, body: body, ending: ending))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                crealtime_name_thread(start.name)
                start.body()
                start.ending.isOver.store(true, ordering: .releasing)
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw HostThreadError(code: code)
        }
        handle = Mutex(thread)
    }

    /// Waits until the closure has returned; returns at once if it was joined before. Never call it on the thread
    /// itself.
    public func join() {
        let thread = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// Waits as ``join()`` does, but no longer than `span`. A thread that is held up, by a disk or by another process,
    /// is left running and can be joined later.
    /// - Returns: whether the closure has returned.
    @discardableResult
    public func join(atMost span: TimeSpan) -> Bool {
        let deadline = HostTime.now() + span
        while !ending.isOver.load(ordering: .acquiring) {
            guard HostTime.now() < deadline else { return false }
            usleep(500)
        }
        join()
        return true
    }

    deinit {
        if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
    }
}

/// The system refused to start a thread: `pthread_create`'s error number.
public struct HostThreadError: Error, Hashable, Sendable {
    public var code: Int32
}

/// Whether the closure has returned. Separate from `Start`, so that the closure's captures are released when it ends.
private final class Ending: Sendable {
    let isOver = Atomic(false)
}

private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    let ending: Ending

    init(name: String, body: @escaping @Sendable () -> Void, ending: Ending) {
        self.name = name
        self.body = body
        self.ending = ending
    }
}
