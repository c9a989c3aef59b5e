import AudioCore
import HostSystem
import PlayerScreen
import Synchronization
import TerminalIO
import TuttiRuntime

/// What happens while the player is open, from whatever thread.
enum PlayerNews: Sendable {
    case event(PlayerEvent)
    /// The terminal answers what it was asked.
    case answer(TerminalAnswer)
    /// The picture that was asked for by this number; nil if it cannot be shown.
    case picture(TerminalPicture?, number: Int)
    /// The terminal has another size, or shows something else.
    case redraw
    /// It is over; nil: as the user wishes.
    case end(RuntimeFailure?)
}

/// News on their way to the thread of the player.
final class PlayerInbox: Sendable {
    private let waiting = Mutex<[PlayerNews]>([])
    private let wake: WakeSignal

    init() throws(DescriptorError) { wake = try WakeSignal() }

    /// Any thread may call it; never blocks for long.
    func post(_ news: PlayerNews) {
        waiting.withLock { $0.append(news) }
        wake.signal()
    }

    func post(_ event: PlayerEvent) { post(.event(event)) }

    /// Waits for news, at most so long, and takes them.
    func take(atMost span: TimeSpan) -> [PlayerNews] {
        if waiting.withLock({ $0.isEmpty }) { wake.wait(atMost: span) }
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
