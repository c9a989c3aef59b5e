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
    /// Set while it runs.
    private let runner = Mutex<BroadcastRunner?>(nil)

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
        defer { runner.withLock { $0 = nil } }
        return try control.run { loop in
            let runner = BroadcastRunner(
                options: self.options, identity: self.identity, loop: loop, handover: self.handover, emit: handler)
            self.runner.withLock { $0 = runner }
            self.control.onStop(loop) { runner.stop() }
            return runner.run().map { $0 == .completed ? .completed : .interrupted }
        }
    }

    /// Ends the broadcast cleanly: listeners fade out, mDNS says goodbye. Any thread may call it, also before `run`.
    public func stop() { control.stop() }

    /// Changes how the own loudspeakers play (``BroadcastOptions/output``). From any thread; of no effect before `run`
    /// and after it.
    public func perform(_ command: LoudspeakerCommand) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.perform(command) }
    }
}
