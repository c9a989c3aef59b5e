import AudioCore

/// Decodes linear PCM to `Float`: integers of 1 to 8 bytes in either byte order, offset binary, 32- and 64-bit floats.
///
/// A full-scale integer becomes 1 (exactly: -2^(n-1) becomes -1). Floats pass unchanged, even beyond -1...1; NaN and
/// infinities become 0. A packet too short for its frames is filled with silence and counted as damaged.
public final class PCMDecoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    private let sample: PCMSampleType

    /// - Throws: `unsupportedFormat` if the sizes do not form a known sample type.
    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        guard format.codec == .linearPCM else { throw .unsupportedCodec(format.codec) }
        guard let sample = PCMSampleType(format: format) else {
            throw .unsupportedFormat(
                "PCM of \(format.bitsPerChannel) bits in frames of \(format.bytesPerFrame) bytes, "
                    + "\(format.channelsPerFrame) channels")
        }
        self.sample = sample
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount, output: output)
        let bytesPerFrame = sample.byteCount * channelCount
        if packet.byteCount != frameCount * bytesPerFrame { damagedPacketCount += 1 }
        let presentSamples = min(packet.byteCount / bytesPerFrame, frameCount) * channelCount
        sample.convert(packet, count: presentSamples, into: &output)
        for index in presentSamples..<(frameCount * channelCount) { output[index] = 0 }
    }

    public func reset(streamFrame: Int64) {}
}
