import AudioCore

/// The size of an output queue's buffers.
public struct AudioBufferSize: Hashable, Sendable {
    public var byteCount: Int
    /// The capacity in packet descriptions; zero if packets have a constant size and need none.
    public var packetCount: Int

    /// The permitted sizes in bytes; the duration decides within them.
    public static let byteRange = 16 * 1024...320 * 1024

    public init(byteCount: Int, packetCount: Int) {
        self.byteCount = byteCount
        self.packetCount = packetCount
    }

    /// Derives a size from a format, the size of its packets and the duration of a buffer.
    /// - Parameters:
    ///   - packetSizeUpperBound: bytes of the largest packet (`AudioFileStream`'s property of that name). A buffer
    ///     always has room for one such packet.
    ///   - duration: the approximate duration of a buffer, within ``byteRange``.
    public init(format: AudioStreamFormat, packetSizeUpperBound: Int, duration: TimeSpan) {
        let packetSize = max(1, min(packetSizeUpperBound, Limits.packetByteCount))
        let framesPerPacket = max(1, format.framesPerPacket)
        let frames = max(0, min(duration.seconds, 60)) * format.sampleRate
        let packets = max(1, Int((frames / Double(framesPerPacket)).rounded(.up)))
        let wanted = format.framesPerPacket > 0 ? packets * packetSize : Self.byteRange.upperBound
        let bounded = max(packetSize, min(max(wanted, Self.byteRange.lowerBound), Self.byteRange.upperBound))
        if format.bytesPerPacket > 0 {
            self.init(byteCount: bounded / format.bytesPerPacket * format.bytesPerPacket, packetCount: 0)
        } else {
            // Packets of varying size: most are far smaller than the largest.
            self.init(byteCount: bounded, packetCount: max(16, min(packets, bounded / 8)))
        }
    }
}
