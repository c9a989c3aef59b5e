import AudioCore
import AudioDecoding

/// Packets that hold the beginning of a further stream.
extension WorkerDecoder {
    /// Decodes a stream's first packets as if nothing came before, and leaves out the frames that are not heard.
    func decode(
        _ splice: AudioPacketSplice, of bytes: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        reset(streamFrame: 0)
        let longest = splice.packets.reduce(0) { max($0, $1.frameCount) }
        var samples = [Float](repeating: 0, count: longest * channelCount)
        for index in 0..<(frameCount * channelCount) { output[index] = 0 }
        var first = -splice.droppedFrameCount
        for packet in splice.packets {
            let range = packet.startOffset..<packet.startOffset + packet.byteCount
            var span = samples.mutableSpan
            try decodePlain(bytes.extracting(range), frameCount: packet.frameCount, into: &span)
            let end = first + packet.frameCount
            for frame in max(first, 0)..<max(first, 0, min(end, frameCount)) {
                for channel in 0..<channelCount {
                    output[frame * channelCount + channel] = samples[(frame - first) * channelCount + channel]
                }
            }
            first = end
        }
    }
}
