import AudioCore
import Glibc
import VirtualDevices

/// HeardAnalysis judges what came out of loudspeakers: recordings of the software sound card and of the product's file
/// output, each a WAVE file with a sidecar (see `RecordingSidecar`).
///
/// - ``skew(between:and:options:)``: how far apart two recordings are, in absolute time.
/// - ``compare(_:with:options:)``: whether a recording is its reference, whole and without blemish.
///
/// It believes nothing that the players say of themselves. It is quick in release builds; a 90 s song takes about
/// twenty times as long in a debug build.
public struct HeardRecording: Sendable {
    /// Nominal, in hertz.
    public var sampleRate: Double
    public var channels: Int
    /// Interleaved, full scale 1.
    public var samples: [Float]
    /// In order. Where a file has no sidecar, one segment that begins at zero.
    public var segments: [RecordingSidecar.Segment]
    public var events: [RecordingSidecar.Event]

    public init(
        sampleRate: Double, channels: Int, samples: [Float], segments: [RecordingSidecar.Segment]? = nil,
        events: [RecordingSidecar.Event] = []
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.samples = samples
        self.segments =
            segments ?? [.init(firstFrame: 0, host: HostTime(nanoseconds: 0), framesPerSecond: sampleRate)]
        self.events = events
    }

    /// Reads `path` and, if there is one, its sidecar.
    ///
    /// Files whose writer still writes, or was killed, are read as far as they go.
    public init(path: String) throws {
        let wave = try WaveFile(path: path)
        self.init(sampleRate: wave.sampleRate, channels: wave.channels, samples: wave.samples)
        let sidecarPath = RecordingSidecar.path(forRecording: path)
        guard access(sidecarPath, F_OK) == 0 else { return }
        let sidecar = try RecordingSidecar(parsing: String(decoding: try readWhole(sidecarPath), as: UTF8.self))
        segments = sidecar.segments
        events = sidecar.events
    }

    public var frameCount: Int { samples.count / channels }

    /// The mean of all channels.
    public var mono: [Float] {
        guard channels > 1 else { return samples }
        let count = frameCount
        let channels = channels
        let scale = 1 / Float(channels)
        return [Float](unsafeUninitializedCapacity: count) { target, initialized in
            samples.withUnsafeBufferPointer { source in
                for frame in 0..<count {
                    var sum: Float = 0
                    for channel in 0..<channels { sum += source[frame &* channels &+ channel] }
                    target[frame] = sum * scale
                }
            }
            initialized = count
        }
    }

    /// One channel's samples; of a recording with fewer channels, its last.
    public func channel(_ index: Int) -> [Float] {
        let count = frameCount
        let channels = channels
        let index = min(index, channels - 1)
        return [Float](unsafeUninitializedCapacity: count) { target, initialized in
            samples.withUnsafeBufferPointer { source in
                for frame in 0..<count { target[frame] = source[frame &* channels &+ index] }
            }
            initialized = count
        }
    }

    /// The same recording of one channel alone; of a recording with fewer channels, its last.
    public func onlyChannel(_ index: Int) -> HeardRecording {
        HeardRecording(
            sampleRate: sampleRate, channels: 1, samples: channel(index), segments: segments, events: events)
    }

    /// The index after the last frame of this segment.
    public func endFrame(ofSegment index: Int) -> Int {
        index + 1 < segments.count ? min(Int(segments[index + 1].firstFrame), frameCount) : frameCount
    }

    /// When this frame was heard, in nanoseconds; nil before the first segment.
    public func time(ofFrame frame: Double) -> Double? {
        guard let segment = segments.last(where: { Double($0.firstFrame) <= frame }) else { return nil }
        return Double(segment.host.nanoseconds) + (frame - Double(segment.firstFrame)) / segment.framesPerSecond * 1e9
    }

    /// The first frame of which a channel is louder than `threshold` (full scale 1).
    public func firstAudibleFrame(above threshold: Float = 0.001) -> Int? {
        samples.firstIndex { abs($0) > threshold }.map { $0 / channels }
    }

    /// The last frame of which a channel is louder than `threshold`.
    public func lastAudibleFrame(above threshold: Float = 0.001) -> Int? {
        samples.lastIndex { abs($0) > threshold }.map { $0 / channels }
    }

    /// When the first audible frame was heard, in nanoseconds of the recording's clock.
    public func firstAudibleTime(above threshold: Float = 0.001) -> Double? {
        firstAudibleFrame(above: threshold).flatMap { time(ofFrame: Double($0)) }
    }
}
