/// How a stream's frames and packets are laid out, with the fields of Core Audio's `AudioStreamBasicDescription`.
///
/// As in Core Audio, a field that is unknown or varies is zero.
public struct AudioStreamFormat: Hashable, Sendable {
    public var codec: Codec
    /// Frames per second, in hertz.
    public var sampleRate: Double
    /// For linear PCM only.
    public var pcm: PCMLayout
    /// Zero where packets differ in size.
    public var bytesPerPacket: Int
    /// Zero where packets differ in length.
    public var framesPerPacket: Int
    /// Zero for compressed formats.
    public var bytesPerFrame: Int
    public var channelsPerFrame: Int
    /// Significant bits of one sample; zero for compressed formats.
    public var bitsPerChannel: Int

    public init(
        codec: Codec, sampleRate: Double, pcm: PCMLayout = [], bytesPerPacket: Int = 0, framesPerPacket: Int = 0,
        bytesPerFrame: Int = 0, channelsPerFrame: Int, bitsPerChannel: Int = 0
    ) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.pcm = pcm
        self.bytesPerPacket = bytesPerPacket
        self.framesPerPacket = framesPerPacket
        self.bytesPerFrame = bytesPerFrame
        self.channelsPerFrame = channelsPerFrame
        self.bitsPerChannel = bitsPerChannel
    }

    /// Returns interleaved linear PCM with one frame per packet.
    public static func linearPCM(
        sampleRate: Double, channels: Int, bitsPerChannel: Int, bytesPerSample: Int, layout: PCMLayout
    ) -> AudioStreamFormat {
        AudioStreamFormat(
            codec: .linearPCM, sampleRate: sampleRate, pcm: layout, bytesPerPacket: channels * bytesPerSample,
            framesPerPacket: 1, bytesPerFrame: channels * bytesPerSample, channelsPerFrame: channels,
            bitsPerChannel: bitsPerChannel)
    }
}

/// The flags of a linear PCM format, after Core Audio's `kAudioFormatFlag...`.
///
/// Samples are always interleaved, and packed or aligned high in whole bytes, as in WAVE.
public struct PCMLayout: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// IEEE 754 samples. Without it, integers.
    public static let float = PCMLayout(rawValue: 1 << 0)
    /// Most significant byte first.
    public static let bigEndian = PCMLayout(rawValue: 1 << 1)
    /// Two's complement. Without it, offset binary (WAVE's 8-bit samples).
    public static let signedInteger = PCMLayout(rawValue: 1 << 2)
}
