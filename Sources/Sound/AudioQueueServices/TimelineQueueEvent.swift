import AudioCore
import AudioDecoding
import Playout

/// What a queue tells its owner.
public enum TimelineQueueEvent: Hashable, Sendable {
    /// Started, finished, stopped, underrun, re-placed, xrun.
    case playout(PlayoutEvent)
    /// The device is lost, or has something to say to people.
    case device(OutputDeviceEvent)
    /// There is no decoder for this epoch; silent until the next `begin`.
    case cannotDecode(epoch: Epoch, AudioDecodingError)
    /// Decoding this epoch cannot go on; what is decoded is played to its end. The next `begin` starts afresh.
    case decodingFailed(epoch: Epoch, AudioDecodingError)
}

/// Why a queue cannot be made.
public enum TimelineQueueError: Error, Hashable, Sendable {
    case device(OutputDeviceError)
    /// The system has no thread or file descriptor left: its error number.
    case outOfResources(code: Int32)
}

extension TimelineQueueError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .device(let error): error.description
        case .outOfResources(let code):
            "this machine has no thread or file descriptor left (\(code)); end some programs"
        }
    }
}

/// What became of a packet that was enqueued.
public enum TimelineQueueAdmission: Hashable, Sendable {
    case accepted
    /// It begins before the end of what is already queued or decoded: a duplicate, or too late. Dropped.
    case stale
    /// The queue holds as much as it may (``TimelineQueueLimits``). Dropped: without it a gap of silence is heard.
    case full
    /// Larger than ``AudioCore/Limits`` allow, without frames, or at an impossible position. Dropped.
    case invalid
    /// No epoch has begun, another one has, or it cannot be decoded. Dropped.
    case notPlaying
}
