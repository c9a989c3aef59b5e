import NIOCore
import NIOPosix
import Synchronization

/// Runs something on an event loop of its own until it is over, and passes on requests to stop.
final class RunControl: Sendable {
    private struct State {
        var isStopped = false
        /// Nil while nothing runs.
        var loop: (any EventLoop)?
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Starts `body` on a new event loop and waits for its future.
    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Outcome>
    ) throws(RuntimeFailure) -> Outcome {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        state.withLock { $0.loop = loop }
        defer {
            // A loop that has ended takes nothing any more.
            state.withLock { ($0.loop, $0.stop) = (nil, nil) }
            group.end()
        }
        do {
            return try loop.flatSubmit { body(loop) }.wait()
        } catch let failure as RuntimeFailure {
            throw failure
        } catch {
            throw RuntimeFailure(.general, .other("\(error)"))
        }
    }

    /// Sets the action to perform on the loop when a stop is requested; at once if one already was.
    func onStop(_ loop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.stop = action
            return state.isStopped
        }
        if isStopped { loop.execute(action) }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let stop = state.stop { state.loop?.execute(stop) }
        }
    }

    /// Does something on the loop; nothing where none runs. From any thread.
    func execute(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.loop?.execute(action) } }
}
