import HostSystem
import Synchronization

/// What blocks a thread while it runs, for callers that must not be blocked: on a thread of its own, told in a stream.
final class ServiceRun: Sendable {
    /// One of the objects that block; see ``Broadcaster``.
    struct Engine: Sendable {
        typealias Handler = @Sendable (RuntimeEvent) -> Void

        var run: @Sendable (@escaping Handler) throws(RuntimeFailure) -> RuntimeOutcome
        /// Of use before `run`, too.
        var stop: @Sendable () -> Void
    }

    /// From idle or starting on it may be over at once; nothing leads back.
    fileprivate enum State {
        case idle
        case starting([Waiter])
        case running([Waiter])
        case over(Result<Void, RuntimeFailure>)
    }

    fileprivate struct Waiter {
        /// Waits for the end, not for the start.
        var isForEnd: Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    let events: AsyncStream<RuntimeEvent>
    private let continuation: AsyncStream<RuntimeEvent>.Continuation
    private let threadName: String
    private let engine: Engine
    private let state = Mutex(State.idle)

    init(threadName: String, eventLimit: Int, _ engine: Engine) {
        self.threadName = threadName
        self.engine = engine
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(eventLimit))
    }

    /// Begins where nobody did, and returns when it runs or is over.
    func start() async throws(RuntimeFailure) {
        begin()
        try await wait(untilEnd: false)
    }

    /// Begins where nobody did, and returns when it is over.
    func run() async throws(RuntimeFailure) {
        begin()
        try await wait(untilEnd: true)
    }

    func stop() async {
        requestStop()
        await suspend(untilEnd: true)
    }

    /// Asks for the end, which comes later but for what has not begun.
    func requestStop() {
        let wasIdle = state.withLock { state in
            guard case .idle = state else { return false }
            state = .over(.success(()))
            return true
        }
        if wasIdle { continuation.finish() } else { engine.stop() }
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
        Result { () throws(RuntimeFailure) in _ = try engine.run { self.pass($0) } }
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
    /// - Returns: whether what is waited for is so already; then nobody was added.
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

    /// It runs now. Those who waited for that, once.
    fileprivate mutating func takeStarted() -> [CheckedContinuation<Void, Never>] {
        guard case .starting(let waiters) = self else { return [] }
        self = .running(waiters.filter(\.isForEnd))
        return waiters.filter { !$0.isForEnd }.map(\.continuation)
    }

    /// It is over. All who waited.
    fileprivate mutating func end(_ result: Result<Void, RuntimeFailure>) -> [CheckedContinuation<Void, Never>] {
        defer { self = .over(result) }
        switch self {
        case .idle, .over: return []
        case .starting(let waiters), .running(let waiters): return waiters.map(\.continuation)
        }
    }
}

extension RuntimeEvent {
    /// Tells that the ports are open, or the sound device of a player plays.
    fileprivate var isOfRunning: Bool {
        switch self {
        case .notice(.network(.listening)), .playing: true
        default: false
        }
    }
}
