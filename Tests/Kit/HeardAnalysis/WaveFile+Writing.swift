import Glibc
import VirtualDevices

/// What the samples of a written WAVE file are.
public enum WaveSampleFormat: Sendable {
    case int16, float32
}

extension HeardRecording {
    /// Writes a WAVE file, and with `sidecar` what it means in time.
    public func write(to path: String, format: WaveSampleFormat = .float32, sidecar: Bool = true) throws {
        let width = format == .int16 ? 2 : 4
        var bytes = Array("RIFF".utf8) + little(UInt32(36 + samples.count * width)) + Array("WAVEfmt ".utf8)
        bytes += little(UInt32(16)) + little(UInt16(format == .int16 ? 1 : 3)) + little(UInt16(channels))
        bytes += little(UInt32(sampleRate)) + little(UInt32(sampleRate) * UInt32(channels * width))
        bytes += little(UInt16(channels * width)) + little(UInt16(width * 8))
        bytes += Array("data".utf8) + little(UInt32(samples.count * width))
        bytes.reserveCapacity(bytes.count + samples.count * width)
        switch format {
        case .int16:
            let integers = samples.map { Int16(max(-32_768, min(32_767, ($0 * 32_768).rounded()))) }
            integers.withUnsafeBytes { bytes += $0 }
        case .float32: samples.withUnsafeBytes { bytes += $0 }
        }
        try writeBytes(bytes, to: path)
        guard sidecar else { return }
        let timing = RecordingSidecar(sampleRate: sampleRate, channels: channels, segments: segments, events: events)
        try writeBytes(Array(timing.text.utf8), to: RecordingSidecar.path(forRecording: path))
    }
}

private func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}

private func writeBytes(_ bytes: [UInt8], to path: String) throws {
    guard let file = fopen(path, "we") else { throw RecordingError.cannotWrite(path, errno) }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw RecordingError.cannotWrite(path, errno) }
}
