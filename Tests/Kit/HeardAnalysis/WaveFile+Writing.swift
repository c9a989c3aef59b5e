import StreamTestKit
import VirtualDevices

/// What the samples of a written WAVE file are.
public enum WaveSampleFormat: Sendable {
    case int16, float32
}

extension HeardRecording {
    /// Writes a WAVE file, and with `sidecar` what it means in time.
    public func write(to path: String, format: WaveSampleFormat = .float32, sidecar: Bool = true) throws {
        let writer = WAVEWriter(
            rate: Int(sampleRate), channels: channels, bits: format == .int16 ? 16 : 32, isFloat: format == .float32)
        var bytes: [UInt8] = []
        switch format {
        case .int16:
            let integers = samples.map { Int16(max(-32_768, min(32_767, ($0 * 32_768).rounded()))) }
            integers.withUnsafeBytes { bytes += $0 }
        case .float32: samples.withUnsafeBytes { bytes += $0 }
        }
        try Tool.writeFile(path, writer.file(data: bytes))
        guard sidecar else { return }
        let timing = RecordingSidecar(sampleRate: sampleRate, channels: channels, segments: segments, events: events)
        try Tool.writeFile(RecordingSidecar.path(forRecording: path), Array(timing.text.utf8))
    }
}
