import AudioCore
import Broadcasting
import Listening
import Observing
import WireProtocol

/// Something the user may want to know: what happened, with its values. Whoever shows it makes the sentence.
public enum RuntimeNotice: Hashable, Sendable {
    case network(NetworkNotice)
    case listening(ListenNotice)
    case observing(ObserveNotice)
    case device(DeviceNotice)
    case song(SongNotice)
    case memory(MemoryNotice)
    case volumeLimit(VolumeLimitNotice)
    case household(HouseholdNotice)
    case recording(RecordingNotice)
    case broadcast(BroadcastNotice)
    /// What there is to say of a command that was given on this machine.
    case command(CommandOutcome)
    /// The first sound is due; what came before it.
    case start(StartTimeline)
    /// This machine slept; a broadcast goes on where it was.
    case slept(TimeSpan)
    /// A notice from the broadcaster's own loudspeakers, with their name among its listeners.
    indirect case ownLoudspeakers(name: String, RuntimeNotice)
    /// The own loudspeakers are gone; the listeners play on.
    case ownLoudspeakersLost(RuntimeFailure)

    public var level: NoticeLevel {
        switch self {
        case .network(let notice): notice.level
        case .listening(let notice): notice.level
        case .observing(let notice): notice.level
        case .device(let notice): notice.level
        case .song(let notice): notice.level
        case .memory(let notice): notice.level
        case .volumeLimit(let notice): notice.level
        case .household(let notice): notice.level
        case .recording(let notice): notice.level
        case .broadcast(let notice): notice.level
        case .command: .info
        case .start: .detail
        case .slept: .info
        case .ownLoudspeakers(_, let notice): notice.level
        case .ownLoudspeakersLost: .warning
        }
    }
}
