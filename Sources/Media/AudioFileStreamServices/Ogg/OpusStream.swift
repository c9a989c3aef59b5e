import AudioCore

/// The parameters of an Opus stream (RFC 7845 section 5.1, RFC 6716 section 3.1). It is decoded at 48 kHz.
struct OpusStream: Equatable {
    static let sampleRate = 48_000
    /// Pre-roll that a decoder needs to be exact, in frames: 80 ms (RFC 7845 section 4.6).
    static let prerollFrameCount = 3_840
    /// The longest packet: 120 ms (RFC 6716 section 3.2.5).
    static let largestFrameCount = 5_760

    var channelCount: Int
    var streamCount: Int
    /// Frames at the beginning that are not heard.
    var preSkip: Int
    /// Gain, mapping family and table: streams that share them can be decoded as one.
    private var configuration: [UInt8]

    /// - Parameter packet: the identification header. The decoder reads the output gain from it.
    init(head packet: RawSpan) throws(AudioStreamError) {
        guard packet.byteCount >= 19, packet.has("OpusHead", at: 0) else {
            throw .invalidFile("Opus's identification header is not one")
        }
        guard packet[8] & 0xF0 == 0 else { throw .unsupportedDataFormat("Opus of version \(packet[8])") }
        channelCount = Int(packet[9])
        preSkip = Int(packet.littleEndian16(at: 10))
        try OggFormatLimits.check(channels: channelCount, sampleRate: Self.sampleRate)
        let family = packet[18]
        switch family {
        case 0:
            guard channelCount <= 2 else { throw .invalidFile("Opus with \(channelCount) channels in one stream") }
            streamCount = 1
            configuration = packet.copy(16..<19)
        case 1:
            guard packet.byteCount >= 21 + channelCount else {
                throw .invalidFile("Opus's identification header is cut short")
            }
            streamCount = Int(packet[19])
            let coded = streamCount + Int(packet[20])
            let isRight = (0..<channelCount).allSatisfy { packet[21 + $0] == 255 || Int(packet[21 + $0]) < coded }
            guard streamCount > 0, packet[20] <= packet[19], coded <= 255, isRight else {
                throw .invalidFile("Opus's channel mapping is wrong")
            }
            configuration = packet.copy(16..<21 + channelCount)
        default: throw .unsupportedDataFormat("Opus with channel mapping family \(family)")
        }
    }

    /// Returns the frames of a packet, from its first two bytes (RFC 6716 section 3.1); nil if it is invalid.
    func frameCount(_ packet: RawSpan) -> Int? {
        guard packet.byteCount > 0 else { return nil }
        let configuration = Int(packet[0] >> 3)
        let size: Int
        switch configuration {
        case 0..<12: size = configuration & 3 == 3 ? 2_880 : 480 << (configuration & 3)
        case 12..<16: size = 480 << (configuration & 1)
        default: size = 120 << (configuration & 3)
        }
        let count: Int
        switch packet[0] & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default: count = packet.byteCount > 1 ? Int(packet[1] & 0x3F) : 0
        }
        return (1...Self.largestFrameCount).contains(size * count) ? size * count : nil
    }

    /// Whether packets of the other stream can follow: everything but the pre-skip is equal.
    func canBeFollowed(by other: OpusStream) -> Bool {
        var other = other
        other.preSkip = preSkip
        return self == other
    }

    var format: AudioStreamFormat {
        AudioStreamFormat(codec: .opus, sampleRate: Double(Self.sampleRate), channelsPerFrame: channelCount)
    }
}
