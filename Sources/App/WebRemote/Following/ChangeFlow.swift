import AudioCore
import WireProtocol

/// Which changes pages are told at once. With hundreds of listeners, each of which changes every second, every page
/// would get hundreds of texts a second: beyond some of them a page gets the whole state instead, from time to time.
struct ChangeFlow {
    enum Verdict {
        case now
        /// The state that ``takeState(_:)`` asks for will say it.
        case withTheState
    }

    /// Changes of listeners that are told at once, in each interval.
    static let listenerChangeLimit = 40
    static let interval = TimeSpan.seconds(2)

    private var began = HostTime(nanoseconds: 0)
    private var count = 0
    private var owesState = false

    init() {}

    mutating func take(_ change: ProgrammeChange, _ now: HostTime) -> Verdict {
        guard case .listener = change.kind else { return .now }
        if now - began >= Self.interval, !owesState { (began, count) = (now, 0) }
        count += 1
        guard count > Self.listenerChangeLimit else { return .now }
        owesState = true
        return .withTheState
    }

    /// Returns whether it is time for the whole state.
    mutating func takeState(_ now: HostTime) -> Bool {
        guard owesState, now - began >= Self.interval else { return false }
        (owesState, began, count) = (false, now, 0)
        return true
    }
}
