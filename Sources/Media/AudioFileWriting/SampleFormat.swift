import AudioCore

/// The width of samples in a linear PCM file.
public struct SampleFormat: Hashable, Sendable {
    public var byteCount: Int
    /// Significant bits of integers, left-aligned.
    public var validBits: Int
    public var isFloat: Bool

    package static let integer8 = SampleFormat(byteCount: 1, validBits: 8, isFloat: false)
    public static let float32 = SampleFormat(byteCount: 4, validBits: 32, isFloat: true)

    /// Returns integers in as many whole bytes as their bits need; nil for widths that no decoder outputs.
    public static func integer(bits: Int) -> SampleFormat? {
        guard (1...32).contains(bits) else { return nil }
        return SampleFormat(byteCount: (bits + 7) / 8, validBits: bits, isFloat: false)
    }

    /// Creates the native format of a song's samples: integers if its codec preserves them, otherwise floats. Lossy
    /// codecs have no width of their own.
    /// - Parameter cookie: FLAC's STREAMINFO (RFC 9639 section 8.2) or ALAC's specific configuration.
    public init(of format: AudioStreamFormat, cookie: [UInt8]) {
        self = Self.bits(of: format, cookie).flatMap(Self.integer) ?? .float32
        if format.codec == .linearPCM, !isFloat, format.channelsPerFrame > 0 {
            byteCount = format.bytesPerFrame / format.channelsPerFrame
        }
    }

    /// Returns whether samples of another format lose nothing in this one: integers fit wider ones, and floats up to
    /// the 24 bits of their significand.
    public func holds(_ other: SampleFormat) -> Bool {
        if other.isFloat { return isFloat }
        return other.validBits <= (isFloat ? 24 : validBits)
    }

    private init(byteCount: Int, validBits: Int, isFloat: Bool) {
        self.byteCount = byteCount
        self.validBits = validBits
        self.isFloat = isFloat
    }

    private static func bits(of format: AudioStreamFormat, _ cookie: [UInt8]) -> Int? {
        switch format.codec {
        case .linearPCM: format.pcm.contains(.float) ? nil : format.bitsPerChannel
        // G.711 expands to 14 and 13 bits, IMA ADPCM predicts in 16.
        case .muLaw, .aLaw, .ima4, .waveIMA: 16
        // After 20 bits of sample rate and 3 of channels: the bits minus one, in 5 bits.
        case .flac: cookie.count >= 18 ? Int((cookie[12] & 1) << 4 | cookie[13] >> 4) + 1 : nil
        case .alac: cookie.count >= 24 ? Int(cookie[5]) : nil
        default: nil
        }
    }
}
