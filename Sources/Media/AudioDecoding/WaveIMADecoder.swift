import AudioCore

// Microsoft Multimedia Standards Update 3.0, "DVI ADPCM Wave Type": a block begins with four bytes per channel, the
// first sample and the step index; then, interleaved by channel, four bytes with eight codes, the low four bits first.
// Each block is independent.

/// Decodes the IMA ADPCM of WAVE files to `Float`, four bits per sample.
public final class WaveIMADecoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    private let tables = IMATables(.ofSum)

    /// - Throws: `unsupportedCodec` for another codec than ``AudioCore/Codec/waveIMA``.
    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        guard format.codec == .waveIMA else { throw .unsupportedCodec(format.codec) }
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount, output: output)
        var isDamaged = false
        let units = packet.byteCount / (4 * channelCount)
        let present = units == 0 ? 0 : min(frameCount, (units - 1) * 8 + 1)
        packet.withUnsafeBytes { source in
            output.withUnsafeMutableBufferPointer { target in
                for channel in 0..<channelCount where present > 0 {
                    if !decode(source, channel, target, frameCount: present) { isDamaged = true }
                }
            }
        }
        for index in (present * channelCount)..<(frameCount * channelCount) { output[index] = 0 }
        if isDamaged || present < frameCount { damagedPacketCount += 1 }
    }

    public func reset(streamFrame: Int64) {}

    /// - Returns: false if the block is invalid and was replaced by silence.
    private func decode(
        _ block: UnsafeRawBufferPointer, _ channel: Int, _ target: UnsafeMutableBufferPointer<Float>, frameCount: Int
    ) -> Bool {
        let head = 4 * channel
        var state = IMAState(
            predictor: Int32(Int16(bitPattern: UInt16(block[head]) | UInt16(block[head + 1]) << 8)),
            index: block[head + 2])
        guard state.index < IMATables.stepCount else {
            for frame in 0..<frameCount { target[frame * channelCount + channel] = 0 }
            return false
        }
        target[channel] = Float(state.predictor) * 0x1p-15
        tables.differences.withUnsafeBufferPointer { differences in
            tables.nextIndices.withUnsafeBufferPointer { nextIndices in
                for frame in 1..<max(1, frameCount) {
                    let (unit, code) = (frame - 1).quotientAndRemainder(dividingBy: 8)
                    let byte = block[4 * ((unit + 1) * channelCount + channel) + code / 2]
                    target[frame * channelCount + channel] = state.next(
                        code & 1 == 0 ? byte : byte >> 4, differences, nextIndices)
                }
            }
        }
        return true
    }
}
