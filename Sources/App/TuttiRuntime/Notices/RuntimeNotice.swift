import AudioCore
import Broadcasting
import Listening
import Observing

/// Something that a person may want to know: what happened, with its values. The sentence is made by whoever shows it.
public enum RuntimeNotice: Hashable, Sendable {
    case network(NetworkNotice)
    case listening(ListenNotice)
    case observing(ObserveNotice)
    case device(DeviceNotice)
    case song(SongNotice)
    case memory(MemoryNotice)
    case recording(RecordingNotice)
    case broadcast(BroadcastNotice)
    /// This machine slept; a broadcast goes on where it was.
    case slept(TimeSpan)
    /// The broadcaster's own loudspeakers, by the name that they go by among its listeners, tell this.
    indirect case ownLoudspeakers(name: String, RuntimeNotice)
    /// They are gone, and the listeners play on.
    case ownLoudspeakersLost(RuntimeFailure)

    public var level: NoticeLevel {
        switch self {
        case .network(let notice): notice.level
        case .listening(let notice): notice.level
        case .observing(let notice): notice.level
        case .device(let notice): notice.level
        case .song(let notice): notice.level
        case .memory(let notice): notice.level
        case .recording(let notice): notice.level
        case .broadcast(let notice): notice.level
        case .slept: .info
        case .ownLoudspeakers(_, let notice): notice.level
        case .ownLoudspeakersLost: .warning
        }
    }
}
