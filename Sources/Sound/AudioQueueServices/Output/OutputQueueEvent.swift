import AudioCore
import AudioDecoding
import Playout

/// What an output queue reports to its owner.
public enum OutputQueueEvent: Hashable, Sendable {
    /// The queue runs: the first frame is in the device. Or it has stopped: the last frame, or the fade of an immediate
    /// stop, was heard.
    case runningChanged(Bool)
    /// No buffer came in time: silent until there are frames again. No frame is lost.
    case underrun
    /// The device ran dry; the sound continues with the first frame that was not heard.
    case xrun
    /// The device is gone. Enqueued buffers are kept.
    case deviceLost(OutputDeviceError)
    /// The device is gone, or back; see ``ReconnectingOutput``.
    case deviceVanished(OutputDeviceError)
    case deviceReturned(OutputDeviceDescription)
    /// Worth one line to people.
    case notice(String)
    /// The stream cannot be decoded further; ``OutputQueue/reset(to:nextPacketAt:)`` starts again.
    case decodingFailed(AudioDecodingError)
}
