import Controlling
import NIOCore
import Synchronization

/// A controller of one broadcast: `tutti pause` and its like, without their terminal.
public final class Controller: Sendable {
    private let options: ControlOptions
    private let identity: Identity
    private let control = RunControl()
    /// Set while it runs.
    private let runner = Mutex<ControlRunner?>(nil)

    public init(options: ControlOptions, identity: Identity) {
        self.options = options
        self.identity = identity
    }

    /// Finds the broadcast and makes its requests, until every command has taken effect; with
    /// ``ControlRequest/changes`` until ``stop()``. Blocks the calling thread.
    /// - Parameter handler: called for every answer, one call at a time, never on the calling thread.
    /// - Throws: why a request was not made or not granted. Those before it were.
    public func run(_ handler: @escaping @Sendable (ControlAnswer) -> Void) throws(RuntimeFailure) {
        defer { runner.withLock { $0 = nil } }
        try control.run { loop in
            let runner = ControlRunner(
                options: self.options, identity: self.identity, loop: loop, emit: handler)
            self.runner.withLock { $0 = runner }
            self.control.onStop(loop) { runner.stop() }
            return runner.run()
        }
    }

    /// Asks for one thing more, after all that was asked for before. From any thread; of no effect but while `run` goes
    /// on.
    public func request(_ request: ControlRequest) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.request(request) }
    }

    /// Ends it. Any thread may call this, also before `run`.
    public func stop() { control.stop() }
}
