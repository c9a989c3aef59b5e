import AudioCore
import AudioDecoding
import Playout

/// What an output queue tells its owner.
public enum OutputQueueEvent: Hashable, Sendable {
    /// It runs: the first frame is in the device. Or it has come to a stop: the last frame was heard, or the fade of an
    /// immediate stop.
    case runningChanged(Bool)
    /// No buffer came in time: silent until there are frames again. None is lost.
    case underrun
    /// The device ran dry; the sound goes on with the first frame that was not heard.
    case xrun
    /// The device is gone. What is enqueued is kept.
    case deviceLost(OutputDeviceError)
    /// The device is gone, or back: see ``ReturningOutput``.
    case deviceVanished(OutputDeviceError)
    case deviceReturned(OutputDeviceDescription)
    /// Worth one line to people.
    case notice(String)
    /// What was enqueued cannot be decoded further; ``OutputQueue/reset()`` starts afresh.
    case decodingFailed(AudioDecodingError)
}
