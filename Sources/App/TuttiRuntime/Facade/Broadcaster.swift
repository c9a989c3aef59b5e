import AudioCore
import Broadcasting
import NIOCore
import NIOPosix
import Synchronization

/// One broadcast from start to end: `tutti broadcast` without its terminal.
public final class Broadcaster: Sendable {
    private let options: BroadcastOptions
    private let identity: Identity
    private let handover: SongHandover?
    private let control = RunControl()

    public convenience init(options: BroadcastOptions, identity: Identity) {
        self.init(options: options, identity: identity, handover: nil)
    }

    /// - Parameter handover: holds the source's reader if this is a further song of it; receives the reader if another
    ///   song follows.
    init(options: BroadcastOptions, identity: Identity, handover: SongHandover?) {
        self.options = options
        self.identity = identity
        self.handover = handover
    }

    /// Runs until the last frame was heard or ``stop()`` was called; blocks the calling thread.
    /// - Parameter handler: called for every event, one call at a time, never on the calling thread.
    /// - Throws: why it could not begin, or not go on.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        try control.run { loop in
            let runner = BroadcastRunner(
                options: self.options, identity: self.identity, loop: loop, handover: self.handover, emit: handler)
            self.control.onStop(loop) { runner.stop() }
            return runner.run().map { $0 == .completed ? .completed : .interrupted }
        }
    }

    /// Ends the broadcast cleanly: listeners fade out, mDNS says goodbye. Any thread may call it, also before `run`.
    public func stop() { control.stop() }
}
