import Glibc
import Synchronization
import TerminalIO

/// The terminal on standard output while live lines are on it, or the whole screen is this process's: no cursor, no
/// echo of keys.
///
/// ``leave()`` restores everything. While the process is in the background, the terminal belongs to another process and
/// is left alone. Any thread may call any method.
final class Terminal: Sendable {
    private static let lines = (begin: "\u{1B}[?25l", end: "\u{1B}[?25h")
    private static let whole = (begin: FullScreen.begin, end: FullScreen.end)

    private struct State {
        /// The settings to restore; nil while nothing is changed.
        var saved: termios?
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let readsKeys: Bool
    private let isWhole: Bool
    private let descriptor = StandardStream.output.rawValue

    /// Nil if standard output cannot show live lines.
    /// - Parameters:
    ///   - readsKeys: whether to read each key as it is pressed, not a whole line.
    ///   - isWhole: whether to take the whole screen. What was on it comes back.
    init?(readsKeys: Bool = false, isWhole: Bool = false) {
        self.readsKeys = readsKeys
        self.isWhole = isWhole
        guard StandardStream.output.isTerminal, let name = getenv("TERM"), strcmp(name, "dumb") != 0 else { return nil }
        guard isInForeground, !isWhole || isatty(STDIN_FILENO) == 1 else { return nil }
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
            // Ctrl-S would hold up what draws the screen.
            if isWhole { settings.c_iflag &= ~tcflag_t(IXON) }
            tcsetattr(descriptor, TCSANOW, &settings)
            StandardStream.output.write(sequences.begin)
            return true
        }
    }

    /// Writes what is to be seen on a terminal that is this process's, and nothing on one that is not.
    /// - Returns: false if nobody can see it any more.
    func draw(_ text: String) -> Bool {
        state.withLock { state in state.saved == nil || StandardStream.output.write(text) }
    }

    /// Restores the terminal. Safe to repeat.
    func leave() { state.withLock { restore(&$0) } }

    /// Restores the terminal among the live lines, and keeps it so until ``takeBack()``.
    func giveUp() {
        state.withLock { state in
            if state.saved != nil, !isWhole { StandardStream.output.write("\r\n") }
            restore(&state)
            state.isGivenUp = true
        }
    }

    /// Allows ``enter()`` again.
    func takeBack() { state.withLock { $0.isGivenUp = false } }

    /// Whether ``enter()`` changed something that is not restored yet.
    var isEntered: Bool { state.withLock { $0.saved != nil } }

    private var sequences: (begin: String, end: String) { isWhole ? Self.whole : Self.lines }

    private func restore(_ state: inout State) {
        guard var settings = state.saved, isInForeground else { return }
        state.saved = nil
        StandardStream.output.write(sequences.end)
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

    /// Whether the environment names a UTF-8 locale (POSIX, Base Definitions 8.2).
    static var isUnicode: Bool {
        for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
            guard let value = getenv(name), value.pointee != 0 else { continue }
            let locale = String(cString: value).lowercased()
            return locale.contains("utf-8") || locale.contains("utf8")
        }
        return false
    }
}
