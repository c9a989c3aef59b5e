import AudioCore
import AudioQueueServices
import Playout

/// Of the sound device, and of the sound on it.
public enum DeviceNotice: Hashable, Sendable {
    /// The card ran dry; a listener places its sound anew, a player goes on.
    case xrun(isPlacedAnew: Bool)
    /// A listener's sound was this far from the timeline (positive: ahead).
    case placedAnew(ReplacementCause, error: TimeSpan)
    /// Of a listener: silent until there is enough song again.
    case packetsLate
    /// Gone; it is waited for.
    case vanished(OutputDeviceError)
    case returned(name: String)
    /// Of a device that a broadcast takes its sound from: as many frames are silence.
    case framesLost(count: Int64, InputLossCause)
    /// The driver's own remark: a right that was not granted, time stamps that are missing.
    case remark(String)

    public var level: NoticeLevel {
        switch self {
        case .remark: .detail
        case .placedAnew, .returned: .info
        case .xrun, .packetsLate, .vanished, .framesLost: .warning
        }
    }
}
