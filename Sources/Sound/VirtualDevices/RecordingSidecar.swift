import AudioCore

/// The timing of a recording of a loudspeaker's signal: the text file `OUT.wav.timing` beside `OUT.wav`.
///
///     tutti-recording 1
///     sampleRate 48000
///     channels 2
///     segment 0 1234567890123 48001.92
///     segment 96000 1239999990123 48001.92
///     event xrun 1239900000000
///
/// One statement per line, fields separated by one space, lines only ever appended: a writer that is killed leaves a
/// valid file, and a last line without a line feed is ignored. A segment is a run of frames without a break: `segment
/// FIRST-FRAME NANOSECONDS FRAMES-PER-SECOND` gives the time at which its first frame was heard, and the frames per
/// second of that clock. Between the last frame of one segment and the first of the next the loudspeaker was silent.
/// The writer chooses the clock of the nanoseconds; recordings that are compared must share it. Unknown statements are
/// skipped.
public struct RecordingSidecar: Hashable, Sendable {
    /// The nominal sample rate, in hertz, as in the WAVE header.
    public var sampleRate: Double
    public var channels: Int
    public var segments: [Segment]
    public var events: [Event]

    public init(sampleRate: Double, channels: Int, segments: [Segment] = [], events: [Event] = []) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.segments = segments
        self.events = events
    }

    /// A run of frames without a break.
    public struct Segment: Hashable, Sendable {
        /// The index of the segment's first frame in the recording.
        public var firstFrame: Int64
        /// When that frame was heard.
        public var host: HostTime
        /// Frames per second of the clock of `host`: the card's true rate.
        public var framesPerSecond: Double

        public init(firstFrame: Int64, host: HostTime, framesPerSecond: Double) {
            self.firstFrame = firstFrame
            self.host = host
            self.framesPerSecond = framesPerSecond
        }
    }

    /// An event of the device: `xrun`, `vanished` and the like.
    public struct Event: Hashable, Sendable {
        /// One word without spaces.
        public var name: String
        public var host: HostTime

        public init(name: String, host: HostTime) {
            self.name = name
            self.host = host
        }
    }

    /// The path of a recording's sidecar.
    public static func path(forRecording path: String) -> String { path + ".timing" }

    /// The whole file. A writer that appends writes it once without segments, then a line for each segment.
    public var text: String {
        var lines = "\(Self.signature)\nsampleRate \(sampleRate)\nchannels \(channels)\n"
        for segment in segments { lines += segment.line }
        for event in events { lines += event.line }
        return lines
    }

    static let signature = "tutti-recording 1"
}

extension RecordingSidecar.Segment {
    /// The statement that appends this segment, with its line feed.
    public var line: String { "segment \(firstFrame) \(host.nanoseconds) \(framesPerSecond)\n" }
}

extension RecordingSidecar.Event {
    /// The statement that appends this event, with its line feed.
    public var line: String { "event \(name) \(host.nanoseconds)\n" }
}
