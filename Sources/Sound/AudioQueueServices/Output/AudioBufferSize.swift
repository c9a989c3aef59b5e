import AudioCore

/// How large the buffers of an output queue shall be.
public struct AudioBufferSize: Hashable, Sendable {
    public var byteCount: Int
    /// Packet descriptions that a buffer has room for; zero where packets have one size and need none.
    public var packetCount: Int

    /// What a buffer may have; within this the duration decides.
    public static let byteRange = 16 * 1024...320 * 1024

    public init(byteCount: Int, packetCount: Int) {
        self.byteCount = byteCount
        self.packetCount = packetCount
    }

    /// Derives a size from a format, the size of its packets and the time that a buffer shall last.
    /// - Parameters:
    ///   - packetSizeUpperBound: bytes of the largest packet (`AudioFileStream`'s property of that name). A buffer holds
    ///     one such packet at least.
    ///   - duration: one buffer lasts for about as long; it is smaller or larger where ``byteRange`` says so.
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
