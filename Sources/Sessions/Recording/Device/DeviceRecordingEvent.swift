import AudioCore
import AudioFileWriting
import AudioQueueServices
import Playout

/// An event while a device is recorded.
public enum DeviceRecordingEvent: Hashable, Sendable {
    case began(InputDeviceDescription)
    /// Frames were lost: the file holds silence of that length from frame `at` on.
    case lost(at: Int64, count: Int64, InputLossCause)
    /// A line for the user.
    case notice(String)
}

/// What is in the file.
/// Those among them that were lost and are silence.
public struct DeviceRecordingSummary: Hashable, Sendable {
    public var path = ""
    public var frameCount: Int64 = 0
    public var sampleRate = 0.0
    /// Those among them that could not be had.
    public var silentFrameCount: Int64 = 0

    public init() {}

    init(path: String, frameCount: Int64, sampleRate: Double, silentFrameCount: Int64) {
        self.path = path
        self.frameCount = frameCount
        self.sampleRate = sampleRate
        self.silentFrameCount = silentFrameCount
    }
}

/// Why a recording could not begin, or not go on.
public enum DeviceRecordingError: Error, Hashable, Sendable {
    case device(InputDeviceError)
    case file(AudioFileWritingError)
    /// The system has no thread or file descriptor left: its error number.
    case outOfResources(code: Int32)
    /// The recording broke off after some of it was written.
    indirect case interrupted(Cause, DeviceRecordingSummary)

    public enum Cause: Hashable, Sendable {
        case device(InputDeviceError)
        case file(AudioFileWritingError)
        case outOfResources(code: Int32)

        var error: DeviceRecordingError {
            switch self {
            case .device(let error): .device(error)
            case .file(let error): .file(error)
            case .outOfResources(let code): .outOfResources(code: code)
            }
        }
    }

    /// What is in the file nevertheless.
    public var recorded: DeviceRecordingSummary? {
        if case .interrupted(_, let summary) = self { summary } else { nil }
    }
}
