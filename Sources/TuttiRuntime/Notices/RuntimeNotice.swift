import AudioCore
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
    /// This machine slept; a broadcast goes on where it was.
    case slept(TimeSpan)
    /// The broadcaster's own loudspeakers, by the name that they go by among its listeners, tell this.
    indirect case ownLoudspeakers(name: String, RuntimeNotice)
    /// They are gone, and the listeners play on.
    case ownLoudspeakersLost(RuntimeFailure)
    /// A sentence. For the sessions until their notices have cases; the last of them to get these deletes this one.
    case text(NoticeLevel, String)

    public var level: NoticeLevel {
        switch self {
        case .network(let notice): notice.level
        case .listening(let notice): notice.level
        case .observing(let notice): notice.level
        case .device(let notice): notice.level
        case .song(let notice): notice.level
        case .memory(let notice): notice.level
        case .recording(let notice): notice.level
        case .slept: .info
        case .ownLoudspeakers(_, let notice): notice.level
        case .ownLoudspeakersLost: .warning
        case .text(let level, _): level
        }
    }
}
