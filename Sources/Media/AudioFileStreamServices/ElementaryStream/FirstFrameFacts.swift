import AudioCore

// Streams whose only information is in their frames: nothing gives the number of frames. If the frames do not give a
// bit rate either, the first ones are scanned before the stream opens (``FrameLookAhead``), and the average over all
// parsed frames is reported again as it improves.

/// The facts of a stream that its first frame describes: ADTS, AC-3, AMR.
struct FirstFrameFacts: ElementaryStreamFacts {
    private let fileByteCount: Int64?
    private let ahead: FrameLookAhead?
    private var description: FirstFrameDescription?
    private var dataOffset: Int64 = 0
    private var bitRate = 0

    init(fileByteCount: Int64?, ahead: FrameLookAhead?) {
        self.fileByteCount = fileByteCount
        self.ahead = ahead
    }

    func isAudio(
        _ header: FrameHeader, offset: Int64, byteCount: Int, in bytes: RawSpan, at place: Int
    ) -> Bool { true }

    mutating func properties(
        before header: FrameHeader, offset: Int64, in bytes: RawSpan, at place: Int,
        _ seekIndex: ElementaryStreamSeekIndex
    ) throws(AudioStreamError) -> [AudioStreamProperty] {
        guard let description else { return try open(header, offset: offset, in: bytes, at: place) }
        guard description.nominalBitRate == nil, Self.isAverageDue(atPacket: seekIndex.nextPacket),
            let average = average(seekIndex, description)
        else { return [] }
        bitRate = average
        return [.bitRate(average)]
    }

    func finalProperties(_ seekIndex: ElementaryStreamSeekIndex) -> [AudioStreamProperty] {
        guard let description, seekIndex.isExact else { return [] }
        let frameCount = seekIndex.nextPacket * Int64(description.format.framesPerPacket)
        var properties: [AudioStreamProperty] = [
            .audioDataPacketCount(seekIndex.nextPacket),
            .packetTableInfo(
                AudioPacketTableInfo(validFrameCount: frameCount, primingFrameCount: 0, remainderFrameCount: 0)),
        ]
        if let byteCount = seekIndex.byteCount { properties.append(.audioDataByteCount(byteCount)) }
        if let average = average(seekIndex, description), average != bitRate { properties.append(.bitRate(average)) }
        return properties
    }

    var seekHints: SeekHints {
        guard let format = description?.format else { return SeekHints() }
        let bytesPerSecond = Double(bitRate) / 8
        return SeekHints(
            byteCount: announcedByteCount,
            averageByteCount: bytesPerSecond * Double(format.framesPerPacket) / format.sampleRate)
    }

    /// Counts tags after the last frame until they are met.
    private var announcedByteCount: Int64? {
        guard let fileByteCount, fileByteCount > dataOffset else { return nil }
        return fileByteCount - dataOffset
    }

    private func average(_ seekIndex: ElementaryStreamSeekIndex, _ description: FirstFrameDescription) -> Int? {
        guard let byteCount = seekIndex.byteCount, seekIndex.nextPacket > 0 else { return nil }
        return Self.bitRate(byteCount: byteCount, packetCount: seekIndex.nextPacket, description.format)
    }

    private mutating func open(
        _ header: FrameHeader, offset: Int64, in bytes: RawSpan, at place: Int
    ) throws(AudioStreamError) -> [AudioStreamProperty] {
        let description: FirstFrameDescription
        switch header {
        case .adts(let header): description = try header.description(bytes, frameAt: place)
        case .ac3(let header): description = try header.description()
        case .amr(let header): description = header.description
        case .mpeg: throw .illegalOperation
        }
        self.description = description
        dataOffset = offset
        bitRate = description.nominalBitRate ?? 0
        if let ahead, description.nominalBitRate == nil {
            bitRate = Self.bitRate(
                byteCount: Int64(ahead.byteCount), packetCount: Int64(ahead.packetCount), description.format)
        }
        var properties: [AudioStreamProperty] = [
            .fileFormat(description.fileType), .dataFormat(description.format),
        ]
        if !description.cookie.isEmpty { properties.append(.magicCookie(description.cookie)) }
        if let layout = description.layout { properties.append(.channelLayout(layout)) }
        properties.append(.dataOffset(offset))
        if let announcedByteCount { properties.append(.audioDataByteCount(announcedByteCount)) }
        return properties + [
            .packetSizeUpperBound(description.packetSizeUpperBound), .bitRate(bitRate),
            .decoderPrerollPacketCount(description.decoderPrerollPacketCount), .readyToProducePackets,
        ]
    }
}
