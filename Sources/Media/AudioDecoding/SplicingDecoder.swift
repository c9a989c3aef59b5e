import AudioCore

// Splices are taken apart here, in front of every decoder whose packets can be cut inside, so that none of them need
// know of them. What comes out of a splice's packets is the same as from the middle of a stream: the decoder is reset
// to the place of the first one, and all that it needs before the first frame that is heard is in the splice. One
// without packets is silence.

/// A decoder that also takes packets that are an ``AudioCore/AudioPacketSplice``; all others go to the one behind it.
///
/// A splice costs at most what ``AudioCore/AudioPacketSplice/largestPacketCount`` packets do. One whose packets make
/// fewer frames than its description promises ends in silence, and is damaged.
package final class SplicingDecoder: AudioPacketDecoder {
    package let base: any AudioPacketDecoder
    private var shortSpliceCount = 0

    init(_ base: any AudioPacketDecoder) { self.base = base }

    /// Whether packets of a codec may be splices. Those of these are cut by bytes, and hold anything.
    static func isNeeded(for codec: Codec) -> Bool {
        switch codec {
        case .linearPCM, .muLaw, .aLaw, .waveIMA: false
        default: true
        }
    }

    package var sampleRate: Double { base.sampleRate }
    package var channelCount: Int { base.channelCount }
    package var damagedPacketCount: Int { base.damagedPacketCount + shortSpliceCount }

    package var outputsIntegers: Bool { base.outputsIntegers }

    package func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try decode(packet, frameCount: frameCount, into: &output, silence: 0) {
            (packet, frameCount, output) throws(AudioDecodingError) in
            try base.decode(packet: packet, frameCount: frameCount, into: &output)
        }
    }

    package func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Int32>
    ) throws(AudioDecodingError) {
        try decode(packet, frameCount: frameCount, into: &output, silence: 0) {
            (packet, frameCount, output) throws(AudioDecodingError) in
            try base.decode(packet: packet, frameCount: frameCount, into: &output)
        }
    }

    package func reset(streamFrame: Int64) { base.reset(streamFrame: streamFrame) }

    private typealias Decode<Sample> =
        (_ packet: RawSpan, _ frameCount: Int, _ output: inout MutableSpan<Sample>) throws(AudioDecodingError) -> Void

    private func decode<Sample>(
        _ packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Sample>, silence: Sample,
        _ decode: Decode<Sample>
    ) throws(AudioDecodingError) {
        guard let splice = AudioPacketSplice(packet) else { return try decode(packet, frameCount, &output) }
        try checkLimits(of: packet, frameCount: frameCount)
        precondition(output.count >= frameCount * channelCount, "no room for the packet's frames")
        for index in 0..<(frameCount * channelCount) { output[index] = silence }
        try self.decode(splice, of: packet, frameCount: frameCount, into: &output, silence: silence, decode)
    }

    /// - Parameter output: silent.
    private func decode<Sample>(
        _ splice: AudioPacketSplice, of bytes: RawSpan, frameCount: Int, into output: inout MutableSpan<Sample>,
        silence: Sample, _ decode: Decode<Sample>
    ) throws(AudioDecodingError) {
        guard !splice.packets.isEmpty else { return }
        base.reset(streamFrame: splice.streamFrame)
        let channelCount = channelCount
        let longest = splice.packets.reduce(0) { max($0, $1.frameCount) }
        var samples = [Sample](repeating: silence, count: longest * channelCount)
        var first = -splice.droppedFrameCount
        for packet in splice.packets {
            let range = packet.startOffset..<packet.startOffset + packet.byteCount
            var span = samples.mutableSpan
            try decode(bytes.extracting(range), packet.frameCount, &span)
            let end = first + packet.frameCount
            for frame in max(first, 0)..<max(first, 0, min(end, frameCount)) {
                for channel in 0..<channelCount {
                    output[frame * channelCount + channel] = samples[(frame - first) * channelCount + channel]
                }
            }
            first = end
        }
        if first < frameCount { shortSpliceCount += 1 }
    }
}
