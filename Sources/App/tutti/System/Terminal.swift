import Glibc
import Synchronization

/// The terminal on standard output while live lines are on it: no cursor, no echo of keys.
///
/// ``leave()`` restores everything. While the process is in the background, the terminal belongs to another process and
/// is left alone. Any thread may call any method.
final class Terminal: Sendable {
    private static let hideCursor = "\u{1B}[?25l"
    private static let showCursor = "\u{1B}[?25h"

    private struct State {
        /// The settings to restore; nil while nothing is changed.
        var saved: termios?
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let readsKeys: Bool
    private let descriptor = StandardStream.output.rawValue

    /// Nil if standard output cannot show live lines.
    /// - Parameter readsKeys: whether to read each key as it is pressed, not a whole line.
    init?(readsKeys: Bool = false) {
        self.readsKeys = readsKeys
        guard StandardStream.output.isTerminal, let name = getenv("TERM"), strcmp(name, "dumb") != 0 else { return nil }
        guard isInForeground else { return nil }
    }

    /// Hides the cursor and stops the echo. Safe to repeat.
    /// - Returns: whether this process may draw on the terminal now.
    func enter() -> Bool {
        state.withLock { state in
            guard !state.isGivenUp, isInForeground else { return false }
            guard state.saved == nil else { return true }
            var settings = termios()
            guard tcgetattr(descriptor, &settings) == 0 else { return true }
            state.saved = settings
            settings.c_lflag &= ~tcflag_t(readsKeys ? ECHO | ICANON : ECHO)
            tcsetattr(descriptor, TCSANOW, &settings)
            StandardStream.output.write(Self.hideCursor)
            return true
        }
    }

    /// Restores the terminal. Safe to repeat.
    func leave() { state.withLock { restore(&$0) } }

    /// Restores the terminal among the live lines, and keeps it so until ``takeBack()``.
    func giveUp() {
        state.withLock { state in
            if state.saved != nil { StandardStream.output.write("\r\n") }
            restore(&state)
            state.isGivenUp = true
        }
    }

    /// Allows ``enter()`` again.
    func takeBack() { state.withLock { $0.isGivenUp = false } }

    /// Whether ``enter()`` changed something that is not restored yet.
    var isEntered: Bool { state.withLock { $0.saved != nil } }

    private func restore(_ state: inout State) {
        guard var settings = state.saved, isInForeground else { return }
        state.saved = nil
        StandardStream.output.write(Self.showCursor)
        tcsetattr(descriptor, TCSANOW, &settings)
    }

    // Without job control nobody else draws.
    private var isInForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// The size of standard output's terminal now; 80 x 24 if unknown.
    static var outputSize: LiveView.Size {
        var window = winsize()
        let descriptor = StandardStream.output.rawValue
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return .init(width: 80, height: 24)
        }
        return .init(width: Int(window.ws_col), height: Int(window.ws_row))
    }

    /// Whether the user allows colour (the NO_COLOR convention).
    static var allowsColour: Bool { getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }
}
