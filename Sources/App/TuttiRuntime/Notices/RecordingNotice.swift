import AudioCore
import AudioQueueServices

/// Of a recording, of a device or of a broadcast.
public enum RecordingNotice: Hashable, Sendable {
    /// A device is recorded, in this format.
    case began(device: String, AudioStreamFormat)
    /// Silence of that length is in the file, from this frame of it on.
    case framesLost(at: Int64, count: Int64, InputLossCause)
    case nothingRecorded
    /// In these files, in their order; of a broadcast from this frame of the song on.
    case recorded(TimeSpan, frameCount: Int64, paths: [String], firstFrame: FramePosition)
    /// So many frames of all could not be had, and are silence.
    case framesMissing(count: Int64)
    /// So many packets were there and could not be decoded: silence too.
    case packetsDamaged(count: Int)

    public var level: NoticeLevel {
        switch self {
        case .began, .nothingRecorded, .recorded: .info
        case .framesLost, .framesMissing, .packetsDamaged: .warning
        }
    }
}
