import AudioCore
import AudioQueueServices

/// A notice about a recording, of a device or of a broadcast.
public enum RecordingNotice: Hashable, Sendable {
    /// Recording of a device began, in this format.
    case began(device: String, AudioStreamFormat)
    /// Frames were lost: the file holds silence of that length from frame `at` on.
    case framesLost(at: Int64, count: Int64, InputLossCause)
    case nothingRecorded
    /// The recording's files, in order; for a broadcast, from this frame of the song on.
    case recorded(TimeSpan, frameCount: Int64, paths: [String], firstFrame: FramePosition)
    /// So many frames of the total never came, and are silence.
    case framesMissing(count: Int64)
    /// So many packets came but could not be decoded: silence too.
    case packetsDamaged(count: Int)

    public var level: NoticeLevel {
        switch self {
        case .began, .nothingRecorded, .recorded: .info
        case .framesLost, .framesMissing, .packetsDamaged: .warning
        }
    }
}
