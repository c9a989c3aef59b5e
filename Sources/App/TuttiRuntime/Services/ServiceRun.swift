import HostSystem
import Synchronization

/// Runs a blocking object on a thread of its own, for callers that must not block, and streams its events.
final class ServiceRun: Sendable {
    /// The blocking object, such as ``Broadcaster``.
    struct BlockingRunner: Sendable {
        typealias Handler = @Sendable (RuntimeEvent) -> Void

        var run: @Sendable (@escaping Handler) throws(RuntimeFailure) -> RuntimeOutcome
        /// Has an effect before `run`, too.
        var stop: @Sendable () -> Void
    }

    /// A state may be followed by `over` at once; no state is entered twice.
    fileprivate enum State {
        case idle
        case starting([Waiter])
        case running([Waiter])
        case over(Result<Void, RuntimeFailure>)
    }

    fileprivate struct Waiter {
        /// Whether it waits for the end, not for the start.
        var isForEnd: Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    let events: AsyncStream<RuntimeEvent>
    private let continuation: AsyncStream<RuntimeEvent>.Continuation
    private let threadName: String
    private let runner: BlockingRunner
    private let state = Mutex(State.idle)

    init(threadName: String, eventLimit: Int, _ runner: BlockingRunner) {
        self.threadName = threadName
        self.runner = runner
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(eventLimit))
    }

    /// Begins unless it has begun; returns when it runs or is over.
    func start() async throws(RuntimeFailure) {
        begin()
        try await wait(untilEnd: false)
    }

    /// Begins unless it has begun; returns when it is over.
    func run() async throws(RuntimeFailure) {
        begin()
        try await wait(untilEnd: true)
    }

    func stop() async {
        requestStop()
        await suspend(untilEnd: true)
    }

    /// Asks for the end. It comes later, or at once if nothing has begun.
    func requestStop() {
        let wasIdle = state.withLock { state in
            guard case .idle = state else { return false }
            state = .over(.success(()))
            return true
        }
        if wasIdle { continuation.finish() } else { runner.stop() }
    }

    // MARK: Waiting

    private func wait(untilEnd: Bool) async throws(RuntimeFailure) {
        await withTaskCancellationHandler {
            await suspend(untilEnd: untilEnd)
        } onCancel: {
            requestStop()
        }
        if case .over(let result) = state.withLock({ $0 }) { try result.get() }
    }

    private func suspend(untilEnd: Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { $0.add(Waiter(isForEnd: untilEnd, continuation: continuation)) }
            if isThere { continuation.resume() }
        }
    }

    // MARK: The thread

    private func begin() {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .starting([])
            return true
        }
        guard isFirst else { return }
        do throws(HostThreadError) {
            _ = try HostThread(name: threadName) { self.finish(self.attempt()) }
        } catch {
            finish(.failure(RuntimeFailure(.general, .noThread)))
        }
    }

    private func attempt() -> Result<Void, RuntimeFailure> {
        Result { () throws(RuntimeFailure) in _ = try runner.run { self.pass($0) } }
    }

    private func pass(_ event: RuntimeEvent) {
        continuation.yield(event)
        guard event.isOfRunning else { return }
        for waiter in state.withLock({ $0.takeStarted() }) { waiter.resume() }
    }

    private func finish(_ result: Result<Void, RuntimeFailure>) {
        let waiters = state.withLock { $0.end(result) }
        continuation.finish()
        for waiter in waiters { waiter.resume() }
    }
}

extension ServiceRun.State {
    /// - Returns: true if there is nothing to wait for; the waiter is not added then.
    fileprivate mutating func add(_ waiter: ServiceRun.Waiter) -> Bool {
        switch self {
        case .idle: preconditionFailure("waited for what nobody began")
        case .starting(let waiters): self = .starting(waiters + [waiter])
        case .running where !waiter.isForEnd: return true
        case .running(let waiters): self = .running(waiters + [waiter])
        case .over: return true
        }
        return false
    }

    /// Enters `running`. Returns those who waited for it.
    fileprivate mutating func takeStarted() -> [CheckedContinuation<Void, Never>] {
        guard case .starting(let waiters) = self else { return [] }
        self = .running(waiters.filter(\.isForEnd))
        return waiters.filter { !$0.isForEnd }.map(\.continuation)
    }

    /// Enters `over`. Returns all who waited.
    fileprivate mutating func end(_ result: Result<Void, RuntimeFailure>) -> [CheckedContinuation<Void, Never>] {
        defer { self = .over(result) }
        switch self {
        case .idle, .over: return []
        case .starting(let waiters), .running(let waiters): return waiters.map(\.continuation)
        }
    }
}

extension RuntimeEvent {
    /// Whether it says that the ports are open, or that a player's sound device plays.
    fileprivate var isOfRunning: Bool {
        switch self {
        case .notice(.network(.listening)), .playing: true
        default: false
        }
    }
}
