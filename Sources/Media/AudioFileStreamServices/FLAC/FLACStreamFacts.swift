import AudioCore

/// Counts the packets of a FLAC stream, and decides which properties to report when.
///
/// STREAMINFO's frame count is believed until the stream exceeds it; at the end the actual count is reported.
struct FLACStreamFacts {
    var isFormatGiven = false
    var isArtworkGiven = false
    /// Packets, and their bytes and frames, counted from the first; only valid without a gap.
    private(set) var packetCount: Int64 = 0
    private var byteCount: Int64 = 0
    private var frameCount: Int64 = 0
    private var hasGap = false
    /// The next packet's number; after a gap unknown until a frame header gives it.
    private var nextPacket: Int64? = 0
    private var nextFrame: Int64 = 0
    /// The first packet's coded number: nonzero in an excerpt of a stream.
    private var firstNumber: Int64?
    /// Offset in the file of the next frame if nothing is damaged.
    private var expectedOffset: Int64?
    private var announcedFrameCount: Int64?
    private var packetSizeUpperBound = 0

    /// Returns the properties to report before the first packet.
    mutating func openingProperties(_ seekIndex: FLACSeekIndex) -> [AudioStreamProperty] {
        let stream = seekIndex.stream
        expectedOffset = seekIndex.dataOffset
        announcedFrameCount = stream.frameCount
        packetSizeUpperBound = stream.packetSizeUpperBound
        var properties: [AudioStreamProperty] = [.dataOffset(seekIndex.dataOffset)]
        if let byteCount = seekIndex.dataByteCount { properties.append(.audioDataByteCount(byteCount)) }
        if let packetCount = seekIndex.packetCount { properties.append(.audioDataPacketCount(packetCount)) }
        if let frameCount = stream.frameCount { properties.append(Self.tableProperty(frameCount)) }
        properties.append(.packetSizeUpperBound(packetSizeUpperBound))
        if let bitRate = announcedBitRate(seekIndex) { properties.append(.bitRate(bitRate)) }
        return properties + [.decoderPrerollPacketCount(0), .readyToProducePackets]
    }

    /// Counts a FLAC frame; returns the numbers of its packet, nil if unknown, and of its first audio frame.
    /// - Parameter blockFrameCount: audio frames per FLAC frame; nil if they vary.
    mutating func count(
        _ frame: FLACFrameSearch.Frame, blockFrameCount: Int?
    ) -> (packet: Int64?, frame: Int64) {
        let header = frame.start.header
        packetCount += 1
        byteCount += Int64(frame.byteCount)
        frameCount += Int64(header.blockSize)
        if nextPacket == 0 { firstNumber = firstNumber ?? header.number }
        if nextPacket == nil, let blockFrameCount, !header.hasVariableBlockSize {
            let packet = max(0, header.number - (firstNumber ?? 0))
            nextPacket = packet
            nextFrame = packet * Int64(blockFrameCount)
        }
        defer {
            nextPacket = nextPacket.map { $0 + 1 }
            nextFrame += Int64(header.blockSize)
        }
        return (nextPacket, nextFrame)
    }

    /// Returns the properties to report before a counted packet.
    mutating func propertiesBefore(_ frame: FLACFrameSearch.Frame) -> [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = []
        if let expected = expectedOffset, frame.start.offset > expected {
            let skipped = frame.start.offset - expected
            properties.append(.problem(AudioStreamProblem(.skipped(byteCount: skipped), at: expected)))
        }
        expectedOffset = frame.start.offset + Int64(frame.byteCount)
        if frame.byteCount > packetSizeUpperBound {
            packetSizeUpperBound = frame.byteCount
            properties.append(.packetSizeUpperBound(frame.byteCount))
        }
        if let announced = announcedFrameCount, frameCount > announced, !hasGap {
            announcedFrameCount = nil
            properties.append(Self.tableProperty(nil))
        }
        return properties
    }

    /// Returns the properties that are certain at the end of the file.
    func finalProperties(_ seekIndex: FLACSeekIndex) -> [AudioStreamProperty] {
        guard !hasGap else { return [] }
        var properties: [AudioStreamProperty] = []
        if seekIndex.dataByteCount != byteCount { properties.append(.audioDataByteCount(byteCount)) }
        if seekIndex.packetCount != packetCount { properties.append(.audioDataPacketCount(packetCount)) }
        if announcedFrameCount != frameCount { properties.append(Self.tableProperty(frameCount)) }
        let bitRate = Self.bitRate(byteCount: byteCount, frameCount: frameCount, seekIndex.stream)
        if let bitRate, bitRate != announcedBitRate(seekIndex) { properties.append(.bitRate(bitRate)) }
        return properties
    }

    /// Bytes are missing: counts are no longer valid, and the next packet's number is unknown.
    mutating func skipGap() {
        hasGap = true
        nextPacket = nil
        expectedOffset = nil
    }

    /// Continues after a seek.
    /// - Parameter frame: the first frame of the place's packet, if known.
    mutating func resume(at place: AudioFileStreamSeek, frame: Int64?) {
        nextPacket = place.isEstimate ? nil : place.packet
        nextFrame = frame ?? 0
        expectedOffset = place.isEstimate ? nil : place.byteOffset
        // Only after a seek to the beginning do counts become valid again.
        hasGap = place.packet != 0 || place.isEstimate
        if !hasGap { (packetCount, byteCount, frameCount) = (0, 0, 0) }
    }

    private static func tableProperty(_ frameCount: Int64?) -> AudioStreamProperty {
        .packetTableInfo(
            AudioPacketTableInfo(validFrameCount: frameCount, primingFrameCount: 0, remainderFrameCount: 0))
    }

    /// Returns the bit rate of the whole file, or as far as the seek table reaches.
    private func announcedBitRate(_ seekIndex: FLACSeekIndex) -> Int? {
        if let byteCount = seekIndex.dataByteCount, let frameCount = seekIndex.stream.frameCount {
            return Self.bitRate(byteCount: byteCount, frameCount: frameCount, seekIndex.stream)
        }
        guard let last = seekIndex.seekTable.points.last else { return nil }
        return Self.bitRate(byteCount: last.byteOffset, frameCount: last.frame, seekIndex.stream)
    }

    /// Returns nil for impossible values.
    private static func bitRate(byteCount: Int64, frameCount: Int64, _ stream: FLACStreamInfo) -> Int? {
        guard byteCount > 0, frameCount > 0 else { return nil }
        let bitRate = Double(byteCount) * 8 * Double(stream.sampleRate) / Double(frameCount)
        // Uncompressed samples, with room for headers.
        let highest = Double(stream.sampleRate * stream.channelCount * (stream.bitsPerSample + 1)) * 2
        return (1...highest).contains(bitRate) ? Int(bitRate) : nil
    }
}
