import NIOCore
import NIOPosix

/// Work that may block, such as on a disk: done off the event loop, on a thread pool, one piece after another.
///
/// Results come back to the event loop, which must not end before ``finish()`` completes. Confined to its event loop.
final class WorkQueue {
    private let loop: any EventLoop
    private let pool: NIOThreadPool
    private var last: EventLoopFuture<Void>

    /// - Parameter pool: by default that of all; what blocks for long has one of its own.
    init(loop: any EventLoop, pool: NIOThreadPool = .singleton) {
        self.loop = loop
        self.pool = pool
        last = loop.makeSucceededVoidFuture()
    }

    /// Does a piece of work when all before it is done.
    /// - Parameter completion: takes its result, on the event loop, if anybody wants it.
    /// - Returns: completes after `completion`.
    @discardableResult
    func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value,
        then completion: @escaping @Sendable (Result<Value, Failure>) -> Void = { _ in }
    ) -> EventLoopFuture<Void> {
        last = last.flatMap { [loop, pool] in
            pool.runIfActive(eventLoop: loop) { Result(catching: work) }
        }
        .map(completion).flatMapErrorThrowing { _ in }
        return last
    }

    /// Completes when all that was asked for is done.
    func finish() -> EventLoopFuture<Void> { last }
}

// Confined to its event loop.
extension WorkQueue: @unchecked Sendable {}
