import AudioCore
import AudioDecoding
import AudioFileWriting

/// What is to be recorded, and into which file.
public struct RecordingOptions: Hashable, Sendable {
    /// Its ending says what kind of file it is.
    public var path: String
    /// A file of that name is replaced once there is something to record.
    public var replaces = false
    /// Nil: as the stream has them, integers in its own width or floats.
    public var samples: SampleFormat?
    /// Ends after so long.
    public var duration: TimeSpan?

    public init(path: String) { self.path = path }
}

/// What became of a recording.
public struct RecordingSummary: Hashable, Sendable {
    /// The files that hold it, in order: another is begun where the broadcast goes on with other channels or another
    /// rate.
    public var paths: [String] = []
    public var frameCount: Int64 = 0
    public var duration = TimeSpan.zero
    /// Where on the broadcast's timeline its first frame lies.
    public var firstFrame = FramePosition.zero
    /// Frames that could not be had, and are silence.
    public var missingFrameCount: Int64 = 0
    /// Packets that were there, and could not be decoded: silence too.
    public var damagedPacketCount = 0
    /// Whether all of the epoch that is recorded was there to its end, or all that was asked for.
    public var isComplete = false

    public init() {}
}

/// Why a recording cannot begin, or not go on. What was recorded stays.
public enum RecordingFailure: Error, Hashable, CustomStringConvertible {
    case file(AudioFileWritingError)
    case decoding(AudioDecodingError)
    /// The broadcast skips more than any outage lasts.
    case skips(seconds: Int64)
    /// It changed its rate or its channels so often that it needs more files than anybody wants.
    case changes(count: Int)

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .decoding(let error): "the broadcast cannot be recorded further: \(error)"
        case .changes(let count): "the broadcast changed its form \(count) times: the recording ends there"
        case .skips(let seconds): "the broadcast skips \(seconds) s: the recording ends there"
        }
    }
}
