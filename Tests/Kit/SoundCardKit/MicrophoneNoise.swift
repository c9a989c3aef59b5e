import StreamTestKit

/// What is in the air around a software card's microphone: noise of which no two frames are alike, so that each tells
/// its place. The same seed makes the same noise.
public struct MicrophoneNoise: Sendable {
    public enum SampleFormat: String, CaseIterable, Sendable {
        case integer16, integer24, integer32, float32
    }

    public let format: SampleFormat
    public let rate: Int
    public let channels: Int
    public let frameCount: Int
    /// The frames as the file holds them: interleaved, little-endian, 24-bit samples in three bytes.
    public let bytes: [UInt8]

    public init(
        _ format: SampleFormat = .integer16, rate: Int = 48_000, channels: Int = 2, seconds: Double, seed: UInt64 = 1
    ) {
        self.format = format
        self.rate = rate
        self.channels = channels
        let frames = Int(Double(rate) * seconds)
        frameCount = frames
        var random = seed
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames * channels * format.byteCount)
        for _ in 0..<frames * channels {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let word = Int32(truncatingIfNeeded: random >> 32)
            let stored = format == .float32 ? (Float(word) * 0x1p-32).bitPattern : UInt32(bitPattern: word)
            for byte in 0..<format.byteCount { bytes.append(UInt8(truncatingIfNeeded: stored >> (8 * UInt32(byte)))) }
        }
        self.bytes = bytes
    }

    public var frameByteCount: Int { format.byteCount * channels }

    /// These frames; silence before the first and after the last.
    public func frames(_ range: Range<Int>) -> [UInt8] {
        let inside = range.clamped(to: 0..<frameCount)
        func silence(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count * frameByteCount) }
        guard !inside.isEmpty else { return silence(range.count) }
        return silence(inside.lowerBound - range.lowerBound)
            + bytes[(inside.lowerBound * frameByteCount)..<(inside.upperBound * frameByteCount)]
            + silence(range.upperBound - inside.upperBound)
    }

    /// Where in the sound these frames are; nil where they are nowhere.
    public func position(of frames: some Collection<UInt8>) -> Int? {
        let wanted = Array(frames)
        guard wanted.count >= frameByteCount, wanted.count <= bytes.count else { return nil }
        let end = frameCount - wanted.count / frameByteCount
        return (0...end).first { frame in
            let start = frame * frameByteCount
            return bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted)
        }
    }

    /// Writes the WAVE file that a card takes as its source.
    public func write(to path: String) throws {
        let writer = WAVEWriter(
            rate: rate, channels: channels, bits: format.byteCount * 8, isFloat: format == .float32)
        try Tool.writeFile(path, writer.file(data: bytes))
    }
}

extension MicrophoneNoise.SampleFormat {
    /// Bytes of one sample.
    public var byteCount: Int {
        switch self {
        case .integer16: 2
        case .integer24: 3
        case .integer32, .float32: 4
        }
    }
}
