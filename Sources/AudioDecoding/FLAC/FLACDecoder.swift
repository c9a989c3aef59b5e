import AudioCore

/// FLAC (RFC 9639), of any width up to 32 bits, in this process.
///
/// A frame whose check is wrong, or that has another shape than STREAMINFO says, is silence and counted as damaged.
public final class FLACDecoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    /// Of a sample, by STREAMINFO.
    public let bitsPerSample: Int
    private var frame: FLACFrame

    /// - Parameter magicCookie: STREAMINFO (section 8.2).
    /// - Throws: `unsupportedFormat` where it is none, or that of another format.
    public init(format: AudioStreamFormat, magicCookie: [UInt8]) throws(AudioDecodingError) {
        guard format.codec == .flac else { throw .unsupportedCodec(format.codec) }
        guard let bitsPerSample = Self.bitsPerSample(magicCookie), (4...32).contains(bitsPerSample),
            Int(magicCookie[12] >> 1 & 7) + 1 == format.channelsPerFrame
        else { throw .unsupportedFormat("FLAC without its STREAMINFO") }
        self.bitsPerSample = bitsPerSample
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
        frame = FLACFrame(channelCount: channelCount, bitsPerSample: bitsPerSample)
    }

    /// By STREAMINFO: behind 20 bits of sample rate and 3 of channels, in 5, less one. Nil where it is too short.
    public static func bitsPerSample(_ cookie: [UInt8]) -> Int? {
        cookie.count >= 34 ? Int((cookie[12] & 1) << 4 | cookie[13] >> 4) + 1 : nil
    }

    public var givesIntegers: Bool { bitsPerSample > Float.significandBitCount + 1 }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
        try decode(packet, frameCount: frameCount) { output[$0] = Float($1) * 0x1p-31 }
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError) {
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
        try decode(packet, frameCount: frameCount) { output[$0] = $1 }
    }

    public func reset(streamFrame: Int64) {}

    @inline(__always)
    private func decode(
        _ packet: RawSpan, frameCount: Int, _ put: (Int, Int32) -> Void
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount)
        let shift = Int64(32 - bitsPerSample)
        var count = 0
        do throws(FLACBitReader.Damage) {
            try packet.withUnsafeBytes { (bytes) throws(FLACBitReader.Damage) in try frame.decode(bytes) }
            count = min(frame.blockSize, frameCount)
            frame.samples.withUnsafeBufferPointer { samples in
                for channel in 0..<channelCount {
                    for index in 0..<count {
                        let sample = samples[channel * frame.blockSize + index]
                        put(index * channelCount + channel, Int32(truncatingIfNeeded: sample << shift))
                    }
                }
            }
        } catch {}
        if count < frameCount { damagedPacketCount += 1 }
        for index in count * channelCount..<frameCount * channelCount { put(index, 0) }
    }
}
