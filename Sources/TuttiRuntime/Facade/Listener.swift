import AudioCore

/// One listener: `tutti join` without its terminal.
public final class Listener: Sendable {
    public init(options: JoinOptions, identity: Identity) throws(RuntimeFailure) {
        throw RuntimeFailure(.general, "not connected yet")
    }

    /// Runs until ``stop()``, or with ``JoinOptions/once`` until one broadcast ended; blocks the calling thread.
    /// - Parameter handler: called for every event, from threads of the runtime, one call at a time.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        .completed
    }

    /// Fades out, says goodbye and ends. From any thread, also before `run`.
    public func stop() {}
}
