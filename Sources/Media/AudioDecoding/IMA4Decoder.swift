import AudioCore

// QuickTime File Format, "IMA 4:1": 34 bytes per channel, channels one after another. Two bytes hold the upper nine
// bits of the sample before the first and seven bits of step index; then two codes per byte, the low four bits first.
// If the state after the last packet agrees with those bits, it is kept, because it has the sample's lower seven bits
// as well.
//
// So a decoder that starts in the middle can be off by those lower seven bits, a constant of less than 128/32768 that
// no pre-roll removes; nothing in the file contains them.

/// Decodes Apple's IMA 4:1 to `Float`.
public final class IMA4Decoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    private let tables = IMATables(.ofParts)
    private var states: [IMAState]
    /// Samples of one block.
    private var samples = [Float](repeating: 0, count: framesPerBlock)
    /// Whether the states are those after the previous packet.
    private var follows = true

    static let framesPerBlock = 64
    static let bytesPerBlock = 34

    /// - Throws: `unsupportedCodec` for another codec than ``AudioCore/Codec/ima4``.
    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        guard format.codec == .ima4 else { throw .unsupportedCodec(format.codec) }
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
        states = Array(repeating: IMAState(), count: format.channelsPerFrame)
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount, output: output)
        let groupByteCount = Self.bytesPerBlock * channelCount
        // The last packet may be cut short: decode all of it, for the packets that follow.
        let groups = min(
            packet.byteCount / groupByteCount, (frameCount + Self.framesPerBlock - 1) / Self.framesPerBlock)
        let present = min(frameCount, groups * Self.framesPerBlock)
        var isDamaged = packet.byteCount != groups * groupByteCount || frameCount > present
        packet.withUnsafeBytes { source in
            output.withUnsafeMutableBufferPointer { target in
                for group in 0..<groups {
                    for channel in 0..<channelCount {
                        let block = source[(group * groupByteCount + channel * Self.bytesPerBlock)...]
                        let isSound = decode(UnsafeRawBufferPointer(rebasing: block), channel)
                        if !isSound { isDamaged = true }
                        let first = group * Self.framesPerBlock
                        for frame in first..<min(present, first + Self.framesPerBlock) {
                            target[frame * channelCount + channel] = samples[frame - first]
                        }
                    }
                    follows = true
                }
            }
        }
        for index in (present * channelCount)..<(frameCount * channelCount) { output[index] = 0 }
        if isDamaged { damagedPacketCount += 1 }
    }

    public func reset(streamFrame: Int64) {
        follows = streamFrame == 0
        for channel in states.indices { states[channel] = IMAState() }
    }

    /// Decodes a block into ``samples``.
    /// - Returns: false if the block is invalid and was replaced by silence.
    private func decode(_ block: UnsafeRawBufferPointer, _ channel: Int) -> Bool {
        let head = Int16(bitPattern: UInt16(block[0]) << 8 | UInt16(block[1]))
        let index = UInt8(head & 0x7F)
        guard index < IMATables.stepCount else {
            for frame in 0..<Self.framesPerBlock { samples[frame] = 0 }
            return false
        }
        let upper = Int32(head & ~0x7F)
        var state = states[channel]
        if !follows || state.index != index || abs(upper - state.predictor) > 0x7F {
            state = IMAState(predictor: upper, index: index)
        }
        tables.differences.withUnsafeBufferPointer { differences in
            tables.nextIndices.withUnsafeBufferPointer { nextIndices in
                samples.withUnsafeMutableBufferPointer { samples in
                    var frame = 0
                    for byte in 2..<Self.bytesPerBlock {
                        samples[frame] = state.next(block[byte], differences, nextIndices)
                        samples[frame + 1] = state.next(block[byte] >> 4, differences, nextIndices)
                        frame += 2
                    }
                }
            }
        }
        states[channel] = state
        return true
    }
}
