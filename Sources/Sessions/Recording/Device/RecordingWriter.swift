import AudioCore
import AudioFileWriting
import AudioQueueServices

/// Writes buffers to a file, each at the place that its frame number gives.
struct RecordingWriter: ~Copyable, Sendable {
    /// The claimed file, which keeps its contents until there is something to record.
    private var claimed: OutputFile?
    private var file: AudioFileWriter?
    private let path: String
    private let format: PCMFileFormat
    private let source: AudioStreamFormat
    /// Whether samples are written unconverted.
    private let passes: Bool
    private let frameLimit: Int64
    /// Number of the file's first frame.
    private var first: Int64 = 0
    private var silentFrameCount: Int64 = 0
    private var scratch: [Float] = []

    init(
        path: String, source: AudioStreamFormat, samples: SampleFormat?, replaces: Bool, duration: TimeSpan?
    ) throws(AudioFileWritingError) {
        guard let type = PCMFileFormat.type(forPath: path) else { throw .unknownExtension(path: path) }
        let format = try PCMFileFormat(
            type: type, sampleRate: source.sampleRate, channelCount: source.channelsPerFrame,
            samples: samples ?? SampleFormat(of: source, cookie: []))
        claimed = try OutputFile(path: path, replaces: replaces)
        self.path = path
        self.format = format
        self.source = source
        passes = format.encoding.passes(source)
        frameLimit = duration.map { max(1, Int64(($0.seconds * source.sampleRate).rounded())) } ?? .max
    }

    /// Whether everything that was asked for is recorded.
    var isComplete: Bool { frameCount >= frameLimit }

    var summary: DeviceRecordingSummary {
        DeviceRecordingSummary(
            path: path, frameCount: frameCount, sampleRate: source.sampleRate, silentFrameCount: silentFrameCount)
    }

    /// Returns the position of a captured frame in the file.
    func position(of frame: Int64) -> Int64 { file == nil ? 0 : frame - first }

    mutating func append(_ buffer: borrowing InputBuffer) throws(AudioFileWritingError) {
        if let claimed = claimed.take() {
            file = try AudioFileWriter(file: claimed, format: format)
            first = buffer.time.frame.index
        }
        let missing = min(buffer.time.frame.index - first - frameCount, frameLimit - frameCount)
        if missing > 0 {
            silentFrameCount += missing
            try file?.appendSilence(frameCount: missing)
        }
        let count = Int(min(Int64(buffer.frameCount), frameLimit - frameCount))
        guard count > 0 else { return }
        try buffer.withBytes { bytes throws(AudioFileWritingError) in
            try append(bytes.extracting(first: count * source.bytesPerFrame))
        }
    }

    /// Finishes the file; removes it if nothing was recorded.
    mutating func finish() throws(AudioFileWritingError) {
        if let claimed = claimed.take() { claimed.discard() }
        try file?.finish()
    }

    private var frameCount: Int64 {
        switch file {
        case .some(let file): file.frameCount
        case .none: 0
        }
    }

    private mutating func append(_ bytes: RawSpan) throws(AudioFileWritingError) {
        if passes {
            try file?.append(pcm: bytes, of: source)
            return
        }
        scratch.removeAll(keepingCapacity: true)
        bytes.withUnsafeBytes { PCMSamples.append($0, of: source, to: &scratch) }
        try scratch.withUnsafeBufferPointer { samples throws(AudioFileWritingError) in try file?.append(samples) }
    }
}

/// Little-endian linear PCM of 16, 24 or 32 bits, or 32-bit floats, to floats.
enum PCMSamples {
    static func append(_ bytes: UnsafeRawBufferPointer, of format: AudioStreamFormat, to samples: inout [Float]) {
        let width = format.bytesPerFrame / format.channelsPerFrame
        let isFloat = format.pcm.contains(.float)
        for start in stride(from: 0, through: bytes.count - width, by: width) {
            var word: UInt32 = 0
            for index in 0..<width { word |= UInt32(bytes[start + index]) << (8 * UInt32(4 - width + index)) }
            samples.append(
                isFloat ? Float(bitPattern: word) : Float(Double(Int32(bitPattern: word)) * 0x1p-31))
        }
    }
}
