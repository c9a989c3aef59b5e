import AudioCore

/// One broadcast from start to end: `tutti broadcast` without its terminal.
public final class Broadcaster: Sendable {
    public init(options: BroadcastOptions, identity: Identity) throws(RuntimeFailure) {
        throw RuntimeFailure(.general, "not connected yet")
    }

    /// Runs until the last frame was heard or ``stop()`` was called; blocks the calling thread.
    /// - Parameter handler: called for every event, from threads of the runtime, one call at a time.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        .completed
    }

    /// Ends the broadcast cleanly: listeners fade out, mDNS says goodbye. From any thread, also before `run`.
    public func stop() {}
}
