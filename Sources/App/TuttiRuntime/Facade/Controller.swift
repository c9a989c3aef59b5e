import Controlling
import NIOCore
import Synchronization

/// A controller of one broadcast: `tutti pause` and its like, without their terminal.
public final class Controller: Sendable {
    private let options: ControlOptions
    private let identity: Identity
    private let control = RunControl()

    public init(options: ControlOptions, identity: Identity) {
        self.options = options
        self.identity = identity
    }

    /// Finds the broadcast and makes its requests, until every command has taken effect; with
    /// ``ControlRequest/changes`` until ``stop()``. Blocks the calling thread.
    /// - Parameter handler: called for every answer, one call at a time, never on the calling thread.
    /// - Throws: why a request was not made or not granted. Those before it were.
    public func run(_ handler: @escaping @Sendable (ControlAnswer) -> Void) throws(RuntimeFailure) {
        try control.run { loop in
            let runner = ControlRunner(
                options: self.options, identity: self.identity, loop: loop, emit: handler)
            self.control.onStop(loop) { runner.stop() }
            return runner.run()
        }
    }

    /// Ends it. Any thread may call this, also before `run`.
    public func stop() { control.stop() }
}
