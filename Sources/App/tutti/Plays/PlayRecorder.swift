import AudioCore
import Glibc
import HostSystem
import Synchronization
import TuttiRuntime

/// Counts the plays of a session, and writes them on a thread of its own: a disk may be slow. The thread begins with
/// the first play.
final class PlayRecorder: Sendable {
    private struct State {
        var tally = PlayTally()
        /// What is to be written.
        var waiting: [Play] = []
        var isOver = false
        /// Whether the user knows that plays are not kept.
        var isTold = false
        var thread: HostThread?
        /// Whether a thread was wanted, be it there or not.
        var isBegun = false
    }

    /// Plays that wait for a disk that hangs; more are not counted.
    private static let waitingLimit = 1_000
    /// How long the end waits for the disk.
    private static let patience = TimeSpan.seconds(2)

    private let log: PlayLog?
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Nil if no file descriptor is left: plays are written at the end then.
    private let wake: WakeSignal?

    /// - Parameters:
    ///   - log: where plays are kept; nil for nowhere.
    ///   - warn: takes one line for the user, on any thread.
    init(_ log: PlayLog? = .standard(), warn: @escaping @Sendable (String) -> Void) {
        self.log = log
        self.warn = warn
        wake = log == nil ? nil : try? WakeSignal()
    }

    /// Takes what happens in the session. Any thread may call it; never blocks for long.
    func take(_ event: RuntimeEvent, now: HostTime = .now()) {
        guard log != nil else { return }
        let isCounted = state.withLock { state in
            guard let path = state.tally.take(event, now: now), state.waiting.count < Self.waitingLimit else {
                return false
            }
            state.waiting.append(Play(path: path, unixSeconds: Int64(time(nil))))
            return true
        }
        guard isCounted, let wake else { return }
        beginThread(wake)
        wake.signal()
    }

    /// Writes what is left. Does not wait for a disk that hangs.
    func end() {
        let thread = state.withLock { state in
            state.isOver = true
            return state.thread.take()
        }
        guard let thread else { return writeWaiting() }
        wake?.signal()
        _ = thread.join(atMost: Self.patience)
    }

    // MARK: The thread

    private func beginThread(_ wake: WakeSignal) {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun
        }
        guard isFirst, let thread = try? HostThread(name: "tutti plays", { self.run(wake) }) else { return }
        state.withLock { $0.thread = thread }
    }

    private func run(_ wake: WakeSignal) {
        while true {
            // Looked at before writing: what comes before the end is written.
            let isOver = state.withLock { $0.isOver }
            writeWaiting()
            if isOver { return }
            wake.wait(atMost: .seconds(60))
        }
    }

    private func writeWaiting() {
        let plays = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let log, !plays.isEmpty else { return }
        for play in plays {
            let whole = Play(path: AbsolutePath.of(play.path), unixSeconds: play.unixSeconds)
            do throws(StateError) {
                if let damage = try log.append(whole) { warn(damage) }
            } catch {
                tell(error)
            }
        }
    }

    private func tell(_ error: StateError) {
        let isNews = state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
        if isNews { warn("\(error): plays are not counted") }
    }
}
