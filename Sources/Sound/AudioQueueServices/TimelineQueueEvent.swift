import AudioCore
import AudioDecoding
import Playout

/// What a queue reports to its owner.
public enum TimelineQueueEvent: Hashable, Sendable {
    /// Started, finished, stopped, underrun, re-placed, xrun.
    case playout(PlayoutEvent)
    /// The device is lost, or reports a notice for people.
    case device(OutputDeviceEvent)
    /// No decoder can be made for this epoch, which is dropped: it is silent.
    case cannotDecode(epoch: Epoch, AudioDecodingError)
    /// Decoding this epoch failed; what is decoded is played to its end. Other epochs are
    /// not affected.
    case decodingFailed(epoch: Epoch, AudioDecodingError)
}

/// Why a queue could not be made.
public enum TimelineQueueError: Error, Hashable, Sendable {
    case device(OutputDeviceError)
    /// The system has no thread or file descriptor left; carries the error number.
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

/// The result of enqueuing a packet.
public enum TimelineQueueAdmission: Hashable, Sendable {
    case accepted
    /// Begins before the end of what is already queued or decoded: a duplicate, or too late. Dropped.
    case stale
    /// The queue is full (``TimelineQueueLimits``). Dropped, which is heard as a gap of silence.
    case full
    /// Larger than ``AudioCore/Limits`` allow, without frames, or at an impossible position. Dropped.
    case invalid
    /// No epoch has begun, the packet is of another epoch, or the epoch cannot be decoded. Dropped.
    case notPlaying
}
