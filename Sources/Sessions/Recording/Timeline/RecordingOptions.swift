import AudioCore
import AudioDecoding
import AudioFileWriting

/// What to record, and into which file.
public struct RecordingOptions: Hashable, Sendable {
    /// The file; its extension chooses the kind of file.
    public var path: String
    /// Whether an existing file is replaced, once there is something to record.
    public var replaces = false
    /// The sample format. Nil keeps the stream's: integers in its own width, or floats. A song whose samples would lose
    /// something in the present file then begins a new one; narrower ones stay in it, unchanged in value.
    public var samples: SampleFormat?
    /// The length of the recording; nil for no limit.
    public var duration: TimeSpan?

    public init(path: String) { self.path = path }
}

/// The result of a recording.
public struct RecordingSummary: Hashable, Sendable {
    /// The files that hold it, in order: a new one begins where the broadcast's channels or rate change, or its samples
    /// become wider.
    public var paths: [String] = []
    public var frameCount: Int64 = 0
    public var duration = TimeSpan.zero
    /// Position of its first frame on the broadcast's timeline.
    public var firstFrame = FramePosition.zero
    /// Frames that never came, and are silence.
    public var missingFrameCount: Int64 = 0
    /// Packets that came but could not be decoded: silence too.
    public var damagedPacketCount = 0
    /// Whether the recorded epoch was there to its end, or everything that was asked for.
    public var isComplete = false

    public init() {}
}

/// Why a recording cannot begin, or not go on. What was recorded stays.
public enum RecordingFailure: Error, Hashable, CustomStringConvertible {
    case file(AudioFileWritingError)
    case decoding(AudioDecodingError)
    /// The broadcast skips more than any outage lasts.
    case skips(seconds: Int64)
    /// The broadcast changed its rate or channels too often: each change needs a file.
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
