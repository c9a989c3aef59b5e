import Dispatch
import NIOCore
import NIOPosix

// NIO ends its threads by way of Dispatch, on one of Dispatch's global queues if it is not given another one. On Linux
// the first use of a global queue has Dispatch watch over these queues' threads from then on: once a second, as long as
// the process lives, on a thread that wants a higher priority than ordinary users may have (setpriority(2) to -4),
// which the system log then tells of ("Failed to set thread priority for worker thread", errno 13). Threads of a serial
// queue are not watched. (swift-corelibs-libdispatch 6.3: `_dispatch_worker_thread` in src/queue.c,
// `_dispatch_workq_init_once` in src/event/workqueue.c, `_dispatch_mgr_root_queue` in src/init.c.)

extension MultiThreadedEventLoopGroup {
    /// Ends the threads, and waits until they are gone. Blocks; never call it on one of them.
    package func end() {
        let ended = DispatchSemaphore(value: 0)
        shutdownGracefully(queue: .ofItsOwn) { _ in ended.signal() }
        ended.wait()
    }
}

extension NIOThreadPool {
    /// Ends the threads when what they do is done.
    /// - Parameter completion: called then, on any thread.
    func end(_ completion: @escaping @Sendable () -> Void) {
        shutdownGracefully(queue: .ofItsOwn) { _ in completion() }
    }
}

extension DispatchQueue {
    /// A new serial one: what ends nobody else need wait for.
    fileprivate static var ofItsOwn: DispatchQueue { DispatchQueue(label: "tutti end") }
}
