import AudioCore

/// Counts the frames that a packet yields.
struct PacketFrameCounter {
    private(set) var counting = SampleEntry.FrameCounting.time
    /// Frames of the last MPEG audio packet whose header was readable.
    private(set) var mpegFrameCount = 1_152
    private var lengths: MovieLengths?
    /// Times are not in frames and must be converted.
    private var needsTimeConversion = false

    init() {}

    init(_ entry: SampleEntry, _ lengths: MovieLengths) {
        counting = entry.counting
        self.lengths = lengths
        needsTimeConversion = entry.blocks == nil && Double(lengths.mediaTimescale) != lengths.sampleRate
        if case .mpeg = counting { mpegFrameCount = max(1, entry.format.framesPerPacket) }
    }

    /// - Parameter mediaTime: of the packet, so that the packets' frames add up to all of the time.
    @inline(__always)
    func frameCount(_ packet: SamplePlace, _ bytes: RawSpan, at place: Int, mediaTime: Int64) -> Int {
        switch counting {
        case .constant(let count): count
        case .time: timed(packet, mediaTime)
        case .opus:
            Self.opusFrameCount(bytes, at: place, Int(packet.byteCount)) ?? timed(packet, mediaTime)
        case .mpeg: Self.mpegFrameCount(bytes, at: place, Int(packet.byteCount)) ?? mpegFrameCount
        case .alac(let count): Self.alacFrameCount(bytes, at: place, Int(packet.byteCount), of: count)
        }
    }

    private func timed(_ packet: SamplePlace, _ mediaTime: Int64) -> Int {
        var count = packet.duration
        if needsTimeConversion, let lengths {
            let end = mediaTime.addingReportingOverflow(packet.duration)
            count =
                end.overflow
                ? 0
                : lengths.frames(end.partialValue, per: lengths.mediaTimescale)
                    - lengths.frames(mediaTime, per: lengths.mediaTimescale)
        }
        return Int(max(1, min(count, Int64(Limits.packetFrameCount))))
    }

    /// Returns nil if the packet does not begin with a header, or is shorter than one.
    private static func mpegFrameCount(_ bytes: RawSpan, at place: Int, _ byteCount: Int) -> Int? {
        byteCount < MPEGFrameHeader.byteCount ? nil : MPEGFrameHeader(bytes, at: place)?.frameCount
    }

    /// Returns frames at 48 kHz (RFC 6716 section 3.1 and table 2); nil if the packet's first bytes are invalid.
    static func opusFrameCount(_ bytes: RawSpan, at place: Int, _ byteCount: Int) -> Int? {
        let configuration = Int(bytes[place] >> 3)
        let frame: Int
        switch configuration {
        case 0..<12: frame = [480, 960, 1_920, 2_880][configuration % 4]
        case 12..<16: frame = [480, 960][configuration % 2]
        default: frame = 120 << (configuration % 4)
        }
        let count: Int
        switch bytes[place] & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard byteCount > 1 else { return nil }
            count = Int(bytes[place + 1] & 63)
        }
        // At most 120 ms.
        guard count > 0, frame * count <= 5_760 else { return nil }
        return frame * count
    }

    /// Reads the start of a packet's first element ("Apple Lossless Format Description"): a 3-bit tag, a 4-bit
    /// instance, 12 unused bits, a flag for a 32-bit frame count, three more flags, the count.
    static func alacFrameCount(_ bytes: RawSpan, at place: Int, _ byteCount: Int, of usual: Int) -> Int {
        guard byteCount >= 7, [0, 1, 3].contains(bytes[place] >> 5), bytes[place + 2] & 0x10 != 0 else { return usual }
        let high = UInt32(bytes[place + 2] & 1) << 31
        let count = high | bytes.bigEndian32(at: place + 3) >> 1
        return count > 0 && count <= UInt32(usual) ? Int(count) : usual
    }
}

extension SampleEntry {
    /// Learns what only the packets contain: for MPEG audio, everything but the codec.
    mutating func look(atFirst packet: RawSpan, smallestPacketByteCount: Int64) {
        guard counting == .mpeg, let header = MPEGFrameHeader(packet, at: 0) else { return }
        formats = [
            AudioStreamFormat(
                codec: header.codec, sampleRate: Double(header.sampleRate), framesPerPacket: header.frameCount,
                channelsPerFrame: header.channelCount)
        ]
        let smallest = smallestPacketByteCount > 0 ? Int(smallestPacketByteCount) : header.smallestPacketByteCount
        decoderPrerollPacketCount = header.prerollPacketCount(smallestPacketByteCount: smallest)
    }

    /// Takes the frame count from the table if all packets but the last are equal.
    mutating func setPacketLength(_ table: SampleTable, _ totals: SampleTable.Totals, _ lengths: MovieLengths) {
        if let blocks {
            guard totals.isUniform else { return }
            formats[0].framesPerPacket = Int(blocks.blocksPerPacket * blocks.framesPerBlock)
            formats[0].bytesPerPacket = Int(blocks.bytesPerPacket)
        } else if formats[0].framesPerPacket == 0, let duration = table.constantDuration {
            let count = lengths.frames(duration, per: lengths.mediaTimescale)
            let isExact = count * lengths.mediaTimescale == duration * Int64(lengths.sampleRate)
            if isExact, count > 0, count <= Int64(Limits.packetFrameCount) { formats[0].framesPerPacket = Int(count) }
        }
    }
}
