import AudioCore
import AudioQueueServices
import Playout

/// A notice about a sound device, or its sound.
public enum DeviceNotice: Hashable, Sendable {
    /// The card ran out of frames; a listener re-places its sound, a player goes on.
    case xrun(isPlacedAnew: Bool)
    /// A listener's sound was this far from the timeline (positive: ahead), and was re-placed.
    case placedAnew(ReplacementCause, error: TimeSpan)
    /// A listener is silent until there is enough song again.
    case packetsLate
    /// The device is gone, or was not there at the start; it is waited for.
    case vanished(OutputDeviceError)
    /// The device is there, after it was waited for.
    case returned(name: String)
    /// A broadcast's capture device lost frames, which become silence.
    case framesLost(count: Int64, InputLossCause)
    /// A remark of the driver: a permission that was not granted, missing timestamps.
    case remark(String)

    public var level: NoticeLevel {
        switch self {
        case .remark: .detail
        case .placedAnew, .returned: .info
        case .xrun, .packetsLate, .vanished, .framesLost: .warning
        }
    }
}
