import AudioCore
import AudioFileWriting
import Playout

/// A growing WAVE file of 32-bit floats, whose header always matches what is written, and its sidecar.
///
/// One thread at a time.
struct WaveRecording: ~Copyable {
    private var file: AudioFileWriter
    private let sidecar: OutputFile

    /// Creates both files, or empties existing ones.
    static func create(
        path: String, sampleRate: Double, channelCount: Int
    ) throws(OutputDeviceError) -> WaveRecording {
        do throws(AudioFileWritingError) {
            let format = try PCMFileFormat(
                type: .wave, sampleRate: sampleRate, channelCount: channelCount, samples: .float32)
            let sidecar = try OutputFile(path: RecordingSidecar.path(forRecording: path), replaces: true)
            try sidecar.empty()
            return WaveRecording(
                file: try AudioFileWriter(path: path, format: format, replaces: true),
                sidecar: sidecar)
        } catch {
            throw .cannotWrite(path: path, reason: error.reason)
        }
    }

    private init(file: consuming AudioFileWriter, sidecar: consuming OutputFile) {
        self.file = file
        self.sidecar = sidecar
    }

    /// Writes the time of the first frame.
    func begin(at host: HostTime) throws(OutputDeviceError) {
        let rate = file.format.sampleRate
        let segment = RecordingSidecar.Segment(firstFrame: 0, host: host, framesPerSecond: rate)
        let text = RecordingSidecar(sampleRate: rate, channels: file.format.channelCount, segments: [segment]).text
        do throws(AudioFileWritingError) {
            try sidecar.write(Array(text.utf8), at: 0)
        } catch {
            throw .cannotWrite(path: sidecar.path, reason: error.reason)
        }
    }

    /// Appends interleaved samples.
    mutating func append(_ samples: UnsafeBufferPointer<Float>) throws(OutputDeviceError) {
        do throws(AudioFileWritingError) {
            try file.append(samples)
        } catch {
            throw .cannotWrite(path: file.path, reason: error.reason)
        }
    }

    /// Updates the header's length to what was appended.
    mutating func updateHeader() throws(OutputDeviceError) {
        do throws(AudioFileWritingError) {
            try file.flush()
        } catch {
            throw .cannotWrite(path: file.path, reason: error.reason)
        }
    }
}
