import AudioCore
import Listening
import NIOCore
import NIOPosix
import Synchronization

/// One listener: `tutti join` without its terminal.
public final class Listener: Sendable {
    private let options: JoinOptions
    private let identity: Identity
    private let control = RunControl()
    /// Set while it runs.
    private let runner = Mutex<ListenRunner?>(nil)

    public init(options: JoinOptions, identity: Identity) {
        self.options = options
        self.identity = identity
    }

    /// Runs until ``stop()``, or with ``JoinOptions/once`` until one broadcast ended; blocks the calling thread.
    /// - Parameter handler: called for every event, one call at a time, never on the calling thread.
    /// - Throws: why it could not begin, or not go on.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        defer { runner.withLock { $0 = nil } }
        return try control.run { loop in
            let runner = ListenRunner(options: self.options, identity: self.identity, loop: loop, emit: handler)
            self.runner.withLock { $0 = runner }
            self.control.onStop(loop) { runner.stop() }
            return runner.run().flatMapThrowing { try RuntimeOutcome($0) }
        }
    }

    /// Fades out, says goodbye and ends. Any thread may call it, also before `run`.
    public func stop() { control.stop() }

    /// Has the thread that does the work call `answer`, as a sign that it is not stuck. From any thread; of no effect
    /// before `run` and after it.
    public func askForSignOfLife(_ answer: @escaping @Sendable () -> Void) { control.execute(answer) }

    /// Commands the broadcast that is heard. A notice tells of a command that is refused. From any thread; of no effect
    /// while nothing is heard.
    public func perform(_ operation: ProgrammeOperation) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.perform(operation) }
    }

    /// Changes how the loudspeakers play. From any thread; of no effect before `run` and after it.
    public func perform(_ command: LoudspeakerCommand) {
        guard let runner = runner.withLock({ $0 }) else { return }
        control.execute { runner.perform(command) }
    }
}

extension RuntimeOutcome {
    /// - Throws: why the listener could not go on.
    init(_ outcome: ListenOutcome) throws(RuntimeFailure) {
        switch outcome {
        case .completed: self = .completed
        case .stopped: self = .interrupted
        case .failed(let failure): throw RuntimeFailure(.lost, .listening(failure))
        }
    }
}
