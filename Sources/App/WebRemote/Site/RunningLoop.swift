import NIOCore
import Synchronization

/// An event loop as other threads reach it, for as long as it runs. Threads that outlive it (a song that is handed
/// over, a disk that hangs, the broadcast's own) bring it nothing any more: that is dropped.
final class RunningLoop: Sendable {
    let loop: any EventLoop
    private let isRunning = Mutex(true)

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Has something done on the loop. From any thread.
    func execute(_ body: @escaping @Sendable () -> Void) {
        // Within the lock: else the loop could end before it has taken it.
        isRunning.withLock { if $0 { loop.execute(body) } }
    }

    /// Takes nothing more. Must come before the loop ends.
    func end() { isRunning.withLock { $0 = false } }
}
