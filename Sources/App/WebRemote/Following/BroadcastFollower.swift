import AudioCore
import Controlling
import HostSystem
import ProgrammeJSON
import Synchronization
import TuttiRuntime

/// What a follower says of the broadcast.
enum FollowerNews: Sendable {
    case answer(ControlAnswer)
    /// There is no connection any more, or none came, for this reason.
    case lost(String)
}

/// What asks the broadcast for pages; one controller, or a test's.
protocol Follower: AnyObject, Sendable {
    /// From any thread.
    func request(_ request: ControlRequest)
}

/// The one controller that follows this process' broadcast for all pages, and asks it for what they want. If it loses
/// the broadcast, it looks for it again. Runs on a thread of its own.
final class BroadcastFollower: Follower {
    private struct State {
        var controller: Controller?
        var isStopped = false
    }

    /// From a lost connection to the next attempt.
    private static let pause = TimeSpan.milliseconds(500)

    private let identity: Identity
    private let localSockets: [LocalSocketDirectory]
    private let emit: @Sendable (FollowerNews) -> Void
    private let wake: WakeSignal
    private let state = Mutex(State())
    private let thread = Mutex<HostThread?>(nil)

    /// - Parameters:
    ///   - localSockets: where the broadcast offers its local socket.
    ///   - emit: called on threads of the controller's.
    init(
        identity: Identity, localSockets: [LocalSocketDirectory], emit: @escaping @Sendable (FollowerNews) -> Void
    ) throws(DescriptorError) {
        self.identity = identity
        self.localSockets = localSockets
        self.emit = emit
        wake = try WakeSignal()
    }

    func start() throws(HostThreadError) {
        let thread = try HostThread(name: "tutti page") { self.run() }
        self.thread.withLock { $0 = thread }
    }

    func request(_ request: ControlRequest) { state.withLock { $0.controller }?.request(request) }

    /// Ends it, and waits until it has ended.
    func stop() {
        let controller = state.withLock { state in
            state.isStopped = true
            return state.controller
        }
        controller?.stop()
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    private func run() {
        while follow() { wake.wait(atMost: Self.pause) }
    }

    /// - Returns: whether to try again.
    private func follow() -> Bool {
        var options = ControlOptions([.changes])
        options.localSockets = localSockets
        options.reach = .thisProcess
        let controller = Controller(options: options, identity: identity)
        let goesOn = state.withLock { state in
            state.controller = controller
            return !state.isStopped
        }
        guard goesOn else { return false }
        var reason = "the broadcast is over"
        do throws(RuntimeFailure) {
            try controller.run { self.emit(.answer($0)) }
        } catch {
            if case .control(let ending, _) = error.reason { reason = ending.failureText }
        }
        let isStopped = state.withLock { state in
            state.controller = nil
            return state.isStopped
        }
        emit(.lost(reason))
        return !isStopped
    }
}
