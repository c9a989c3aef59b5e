import AudioCore
import Controlling
import HostSystem
import Synchronization
import TuttiRuntime

/// The broadcast that the player commands: one that is there, or, if none is, one of this process.
///
///     looking ──found──▶ following ──lost──▶ looking for the same one, until it is there again
///        └──none──▶ beginning a broadcast ──▶ following that
///
/// Runs on a thread of its own.
final class PlayerConnection: Sendable {
    private struct State {
        var controller: Controller?
        var own: OwnBroadcast?
        /// The user wants one here, whatever else there may be.
        var wantsOwn = false
        var isStopped = false
    }

    /// Which broadcast is looked for.
    private enum Search {
        /// The one that the user means; one of this process instead if there is none.
        case any(ControlTarget)
        /// The one that was lost.
        case again(ControlTarget)
    }

    private let target: ControlTarget
    private let ownOptions: OwnBroadcast.Options
    private let inbox: PlayerInbox
    private let state = Mutex(State())
    /// From a lost connection to the next attempt.
    private static let pause = TimeSpan.milliseconds(500)

    /// - Parameter own: of a broadcast of this process, if one begins.
    init(target: ControlTarget, own: OwnBroadcast.Options, inbox: PlayerInbox) {
        self.target = target
        ownOptions = own
        self.inbox = inbox
    }

    func start() throws(RuntimeFailure) -> HostThread {
        do {
            return try HostThread(name: "tutti control") {
                do throws(RuntimeFailure) {
                    try self.run()
                } catch {
                    self.inbox.post(.end(error))
                }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// Asks the broadcast for something; of no effect while there is none.
    func request(_ request: ControlRequest) { state.withLock { $0.controller }?.request(request) }

    /// Begins a broadcast of this process, instead of looking for another one.
    func begin() {
        let controller = state.withLock { state in
            state.wantsOwn = true
            return state.controller
        }
        controller?.stop()
    }

    /// Ends it, and the broadcast that it began.
    func stop() {
        let (controller, own) = state.withLock { state in
            state.isStopped = true
            return (state.controller, state.own)
        }
        controller?.stop()
        own?.stop()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func run() throws(RuntimeFailure) {
        var search = Search.any(target)
        while !isStopped {
            if state.withLock({ $0.wantsOwn && $0.own == nil }) {
                try beginOwn()
                search = .any(.any)
            }
            let name = Mutex<String?>(nil)
            do throws(RuntimeFailure) {
                try connect(to: search) { answer in
                    if case .connected(let found, _) = answer { name.withLock { $0 = found } }
                    self.take(answer)
                }
            } catch {
                search = try next(after: search, connected: name.withLock { $0 }, error)
            }
        }
    }

    /// Returns what to look for after a connection ended, or none came.
    private func next(
        after search: Search, connected name: String?, _ failure: RuntimeFailure
    ) throws(RuntimeFailure) -> Search {
        if let name {
            inbox.post(.lost(failure.sentence))
            sleepThread(for: Self.pause)
            // Of several that are there now, the same one.
            return ownsBroadcast ? .any(.any) : .again(target == .any ? .named(name) : target)
        }
        switch search {
        case .again: sleepThread(for: Self.pause)
        case .any: try begin(instead: failure)
        }
        return search
    }

    private func connect(
        to search: Search, _ handler: @escaping @Sendable (ControlAnswer) -> Void
    ) throws(RuntimeFailure) {
        var options = ControlOptions([.changes])
        options.target =
            switch search {
            case .any(let target), .again(let target): target
            }
        options.localSockets = LocalSocketDirectory.searched
        let controller = Controller(options: options, identity: try identity())
        let goesOn = state.withLock { state in
            state.controller = controller
            return !state.isStopped && (state.own != nil || !state.wantsOwn)
        }
        defer { state.withLock { $0.controller = nil } }
        if goesOn { try controller.run(handler) }
    }

    private func take(_ answer: ControlAnswer) {
        if case .failed(let ending) = answer {
            inbox.post(.note(RuntimeFailure(.general, .control(ending, target)).sentence))
        }
        inbox.post(.answer(answer))
    }

    private func identity() throws(RuntimeFailure) -> Identity {
        let loaded = try IdentityStore.standard().identity()
        for warning in loaded.warnings { inbox.post(.note("warning: \(warning)")) }
        return loaded.identity
    }

    // MARK: The own broadcast

    /// Begins a broadcast where none was found, and nobody asked for a certain one.
    private func begin(instead failure: RuntimeFailure) throws(RuntimeFailure) {
        guard target == .any, case .control(let ending, _) = failure.reason, ending.meansNone else { throw failure }
        if let own = state.withLock({ $0.own }) {
            if let failure = own.failure { throw failure }
            // It is not found now.
            return sleepThread(for: Self.pause)
        }
        try beginOwn()
    }

    private func beginOwn() throws(RuntimeFailure) {
        let own = try OwnBroadcast(ownOptions, identity: identity(), inbox: inbox)
        let isStopped = state.withLock { state in
            state.own = own
            return state.isStopped
        }
        if isStopped { own.stop() }
        own.waitUntilItAnswers()
        if let failure = own.failure { throw failure }
    }

    /// Whether the music ends with this process.
    var ownsBroadcast: Bool { state.withLock { $0.own != nil } }

    /// Waits until the broadcast that it began is over.
    func join() { state.withLock { $0.own }?.join() }
}

extension ControlEnding {
    /// Whether there is no broadcast to command.
    fileprivate var meansNone: Bool {
        switch self {
        case .notFound, .cannotSearch, .notOfHousehold: true
        case .done, .ambiguous, .noAnswer, .broadcastsNothing, .turnedAway, .refused, .timedOut, .unreadable, .lost,
            .ended, .brokenProtocol:
            false
        }
    }
}
