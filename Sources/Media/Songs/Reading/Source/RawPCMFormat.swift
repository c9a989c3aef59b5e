import AudioCore
import AudioFileWriting

/// The format of linear PCM without a header, as stated by the user: sample rate, channels, samples, "48000:2:s16le".
public struct RawPCMFormat: Hashable, Sendable {
    /// In hertz.
    public var sampleRate: Double
    public var channelCount: Int
    public var sampleByteCount: Int
    public var layout: PCMLayout

    public init(sampleRate: Double, channelCount: Int, sampleByteCount: Int, layout: PCMLayout) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.sampleByteCount = sampleByteCount
        self.layout = layout
    }

    /// Reads `RATE:CHANNELS:FORMAT`.
    /// - Throws: what is wrong with it, for people.
    public init(parsing text: String) throws(RawPCMFormatError) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 3 else {
            throw RawPCMFormatError("'\(text)' is not RATE:CHANNELS:FORMAT (48000:2:s16le)")
        }
        guard let rate = Double(fields[0]), Limits.sampleRateRange.contains(rate) else {
            throw RawPCMFormatError("the rate must be from 8000 to 192000 Hz, not '\(fields[0])'")
        }
        guard let channelCount = Int(fields[1]), Limits.channelRange.contains(channelCount) else {
            throw RawPCMFormatError("there may be 1 to 8 channels, not '\(fields[1])'")
        }
        guard let samples = Self.samples[fields[2].lowercased()] else {
            throw RawPCMFormatError(
                "samples may be u8, s8, s16 to s64 in steps of 8 bits, f32 or f64, all but the first two followed by le "
                    + "or be, not '\(fields[2])'")
        }
        self.init(
            sampleRate: rate, channelCount: channelCount, sampleByteCount: samples.byteCount, layout: samples.layout)
    }

    /// Sample formats by the names that ffmpeg and sox use.
    private static let samples: [String: (byteCount: Int, layout: PCMLayout)] = {
        var samples: [String: (byteCount: Int, layout: PCMLayout)] = ["u8": (1, []), "s8": (1, .signedInteger)]
        for byteCount in 2...8 {
            samples["s\(byteCount * 8)le"] = (byteCount, .signedInteger)
            samples["s\(byteCount * 8)be"] = (byteCount, [.signedInteger, .bigEndian])
        }
        for byteCount in [4, 8] {
            samples["f\(byteCount * 8)le"] = (byteCount, .float)
            samples["f\(byteCount * 8)be"] = (byteCount, [.float, .bigEndian])
        }
        return samples
    }()

    /// The header of a file with such samples to its end: WAVE for offset binary, otherwise CAF, whose audio may have a
    /// size of -1 ("Audio Data Chunk").
    var header: [UInt8] { layout.isEmpty ? waveHeader : coreAudioHeader }

    private var bytesPerFrame: Int { sampleByteCount * channelCount }

    private var coreAudioHeader: [UInt8] {
        let flags: UInt32 = (layout.contains(.float) ? 1 : 0) | (layout.contains(.bigEndian) ? 0 : 2)
        return Array("caff".utf8) + big(UInt16(1)) + big(UInt16(0)) + Array("desc".utf8) + big(Int64(32))
            + big(sampleRate.bitPattern) + Array("lpcm".utf8) + big(flags) + big(UInt32(bytesPerFrame))
            + big(UInt32(1)) + big(UInt32(channelCount)) + big(UInt32(sampleByteCount * 8))
            + Array("data".utf8) + big(Int64(-1)) + big(UInt32(0))
    }

    /// The header of a file without frames, as programs write it into pipes: readers go on to the end.
    private var waveHeader: [UInt8] {
        WAVEHeader(
            sampleRate: sampleRate, channelCount: channelCount, samples: .integer8, speakerMask: 0, frameCount: 0
        ).bytes
    }

    private func big<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// What is wrong with a stated format: a few words.
public struct RawPCMFormatError: Error, Hashable, Sendable {
    public var message: String

    init(_ message: String) { self.message = message }
}
