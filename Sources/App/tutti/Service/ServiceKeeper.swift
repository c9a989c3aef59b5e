import AudioCore
import Glibc
import HostSystem
import ServiceManager
import Synchronization
import TuttiRuntime

/// Tells the service manager how the service is, from a thread of its own: that it is ready, that it is alive, that it
/// ends. Does nothing where no manager asks, but to end what does not end by itself.
///
/// Any thread may call it.
final class ServiceKeeper: Sendable {
    private struct State {
        /// When it counts as ready, come what may; nil once it was.
        var readyBy: HostTime?
        var hasAnswered = false
        /// When the process ends by force; nil until it is asked to stop.
        var end: HostTime?
        var isOver = false
    }

    /// A service that waits is ready: it does what it can. This long it may take to find out.
    private static let readyLimit = TimeSpan.milliseconds(1_500)
    /// From the request to stop to its end by force. Fading out and saying goodbye take some tenths of a second.
    private static let stopLimit = TimeSpan.milliseconds(1_800)

    private let notifier: ServiceNotifier?
    private let life: SignOfLife
    private let state = Mutex(State(readyBy: .now() + readyLimit))
    private let wake: WakeSignal
    private let onStuck: @Sendable () -> Void

    /// - Parameters:
    ///   - life: whom to ask for a sign of life.
    ///   - onStuck: called before the process is ended by force.
    init(
        _ notifier: ServiceNotifier?, _ life: SignOfLife, onStuck: @escaping @Sendable () -> Void
    ) throws(RuntimeFailure) {
        self.notifier = notifier
        self.life = life
        self.onStuck = onStuck
        do throws(DescriptorError) { wake = try WakeSignal() } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
    }

    /// Begins to watch.
    func start() throws(RuntimeFailure) {
        do throws(HostThreadError) {
            _ = try HostThread(name: "tutti service") { self.keep() }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// It does what it can. Told once, and again after ``reloading()``.
    func ready() {
        let isNews = state.withLock { state in
            defer { state.readyBy = nil }
            return state.readyBy != nil
        }
        if isNews { notifier?.notify(.ready) }
    }

    /// It reads its configuration anew.
    func reloading() {
        notifier?.notify(.reloadingNow())
        // Behind that: the manager waits for what it is told next, and not for what another thread told it before.
        state.withLock { $0.readyBy = .now() + Self.readyLimit }
        wake.signal()
    }

    /// It was asked to stop: after a while it is made to.
    func stopping() {
        state.withLock { $0.end = $0.end ?? .now() + Self.stopLimit }
        wake.signal()
        notifier?.notify(.stopping)
    }

    func show(status: String) { notifier?.notify(.status(status)) }

    /// It has ended by itself.
    func end() {
        state.withLock { $0.isOver = true }
        wake.signal()
    }

    // MARK: The thread

    private func keep() {
        var watchdog = notifier?.watchdogInterval.map { WatchdogKeeper(interval: $0, now: .now()) }
        while true {
            let now = HostTime.now()
            let state = state.withLock { state in
                defer { state.hasAnswered = false }
                return state
            }
            if state.isOver { return }
            if let end = state.end, now >= end {
                onStuck()
                _exit(0)
            }
            if let readyBy = state.readyBy, now >= readyBy { ready() }
            if state.hasAnswered {
                watchdog?.answered(now)
                notifier?.notify(.watchdog)
            }
            if watchdog?.isQuestionDue(now) == true { life.ask { self.answer() } }
            wait(now, state, watchdog)
        }
    }

    private func answer() {
        state.withLock { $0.hasAnswered = true }
        wake.signal()
    }

    private func wait(_ now: HostTime, _ state: State, _ watchdog: WatchdogKeeper?) {
        let instants = [state.end, state.readyBy].compactMap { $0 }.filter { $0 > now }
        let spans = instants.map { $0 - now } + (watchdog.map { [$0.wait(now)] } ?? [])
        wake.wait(atMost: spans.min() ?? .seconds(60))
    }
}
