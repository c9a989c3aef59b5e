import AudioCore
import Playout
import RecordingSidecar

/// A WAVE file of 32-bit floats that grows, its header always in step with what is written, and its sidecar.
///
/// One thread at a time.
struct WaveRecording: ~Copyable {
    private let file: OutputFile
    private let sidecar: OutputFile
    private let sampleRate: Double
    private let channelCount: Int
    private var dataByteCount: Int64 = 0

    /// Creates both files, or empties them.
    static func create(
        path: String, sampleRate: Double, channelCount: Int
    ) throws(OutputDeviceError) -> WaveRecording {
        let file = try OutputFile(path: path)
        let sidecar = try OutputFile(path: RecordingSidecar.path(forRecording: path))
        let recording = WaveRecording(
            file: file, sidecar: sidecar, sampleRate: sampleRate, channelCount: channelCount)
        try recording.updateHeader()
        return recording
    }

    private init(
        file: consuming OutputFile, sidecar: consuming OutputFile, sampleRate: Double, channelCount: Int
    ) {
        self.file = file
        self.sidecar = sidecar
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// States when the first frame is heard.
    func begin(at host: HostTime) throws(OutputDeviceError) {
        let segment = RecordingSidecar.Segment(firstFrame: 0, host: host, framesPerSecond: sampleRate)
        let text = RecordingSidecar(sampleRate: sampleRate, channels: channelCount, segments: [segment]).text
        try sidecar.write(Array(text.utf8), at: 0)
    }

    /// Appends interleaved samples. WAVE is little-endian, as is every machine that Swift on Linux runs on.
    mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(OutputDeviceError) {
        let bytes = UnsafeRawBufferPointer(samples)
        try file.write(bytes, at: Int64(WaveHeader.byteCount) + dataByteCount)
        dataByteCount += Int64(bytes.count)
    }

    /// Makes the header say how much was appended. Data comes first, so that a header never promises too much.
    func updateHeader() throws(OutputDeviceError) {
        let header = WaveHeader(sampleRate: sampleRate, channelCount: channelCount, dataByteCount: dataByteCount)
        try file.write(header.bytes, at: 0)
    }
}
