/// A stream's properties, gathered for players and displays.
public struct AudioStreamSummary: Hashable, Sendable {
    /// All properties but artwork, in order of arrival; an update replaces the earlier value in place. So their number
    /// is bounded by the kinds, the keys of ``AudioInfoKey`` and ``Limits/streamProblemCount`` together.
    public private(set) var properties: [AudioStreamProperty] = []
    public private(set) var fileType: AudioFileType?
    public private(set) var format: AudioStreamFormat?
    public private(set) var formatList: [AudioStreamFormat] = []
    public private(set) var channelLayout: AudioChannelLayout?
    public private(set) var magicCookie: [UInt8] = []
    public private(set) var dataOffset: Int64?
    public private(set) var dataByteCount: Int64?
    public private(set) var packetCount: Int64?
    public private(set) var packetSizeUpperBound: Int?
    public private(set) var packetTable: AudioPacketTableInfo?
    public private(set) var bitRate: Int?
    public private(set) var decoderPrerollPacketCount = 0
    public private(set) var gain: Float = 1
    public private(set) var info: [AudioInfoKey: String] = [:]
    /// What the artwork begins like, whose bytes are not kept; nil without artwork, and for an unknown format.
    public private(set) var artworkFormat: PictureFormat?
    /// What was passed over, in order of arrival; the first ``Limits/streamProblemCount`` only.
    public private(set) var problems: [AudioStreamProblem] = []
    /// Offset in the file of a further song, if there is one; known at this song's end.
    public private(set) var nextStreamOffset: Int64?
    public private(set) var isReady = false

    public init() {}

    public mutating func note(_ property: AudioStreamProperty) {
        switch property {
        case .fileFormat(let type): fileType = type
        case .dataFormat(let format): self.format = format
        case .formatList(let list): formatList = list
        case .channelLayout(let layout): channelLayout = layout
        case .dataOffset(let offset): dataOffset = offset
        case .audioDataByteCount(let count): dataByteCount = count
        case .audioDataPacketCount(let count): packetCount = count
        case .packetSizeUpperBound(let count): packetSizeUpperBound = count
        case .magicCookie(let cookie): magicCookie = cookie
        case .packetTableInfo(let table): packetTable = table
        case .bitRate(let rate): bitRate = rate
        case .decoderPrerollPacketCount(let count): decoderPrerollPacketCount = count
        case .gain(let gain): self.gain = gain
        case .info(let key, let text): info[key] = text
        case .problem(let problem):
            guard problems.count < Limits.streamProblemCount else { return }
            problems.append(problem)
        case .nextStreamOffset(let offset): nextStreamOffset = offset
        case .readyToProducePackets: isReady = true
        // Large, and nobody asks for it twice.
        case .artwork(let bytes):
            artworkFormat = artworkFormat ?? PictureFormat(bytes)
            return
        }
        if let index = properties.firstIndex(where: { property.replaces($0) }) {
            properties[index] = property
        } else {
            properties.append(property)
        }
    }

    /// Audible length; nil where the stream does not give it.
    public var duration: TimeSpan? {
        guard let frames = packetTable?.validFrameCount, let rate = format?.sampleRate, rate > 0 else { return nil }
        return TimeSpan(seconds: Double(frames) / rate)
    }

    /// ``duration``, or else an estimate from packets, or from bytes and bit rate.
    public var estimatedDuration: TimeSpan? {
        if let duration { return duration }
        guard let format, format.sampleRate > 0 else { return nil }
        if let packetCount, format.framesPerPacket > 0 {
            return TimeSpan(seconds: Double(packetCount) * Double(format.framesPerPacket) / format.sampleRate)
        }
        guard let dataByteCount, let bitRate, bitRate > 0 else { return nil }
        return TimeSpan(seconds: Double(dataByteCount) * 8 / Double(bitRate))
    }

    /// Mean packet size, exact or from the announced counts; nil where the stream does not give enough.
    public var averageBytesPerPacket: Double? {
        if let format, format.bytesPerPacket > 0 { return Double(format.bytesPerPacket) }
        guard let dataByteCount, let packetCount, packetCount > 0 else { return nil }
        return Double(dataByteCount) / Double(packetCount)
    }
}

extension AudioStreamProperty {
    /// Returns whether this property updates the earlier one.
    fileprivate func replaces(_ earlier: AudioStreamProperty) -> Bool {
        switch (earlier, self) {
        case (.fileFormat, .fileFormat), (.dataFormat, .dataFormat), (.formatList, .formatList),
            (.magicCookie, .magicCookie), (.channelLayout, .channelLayout), (.audioDataByteCount, .audioDataByteCount),
            (.audioDataPacketCount, .audioDataPacketCount), (.dataOffset, .dataOffset),
            (.packetSizeUpperBound, .packetSizeUpperBound), (.packetTableInfo, .packetTableInfo),
            (.bitRate, .bitRate), (.decoderPrerollPacketCount, .decoderPrerollPacketCount),
            (.gain, .gain), (.nextStreamOffset, .nextStreamOffset), (.readyToProducePackets, .readyToProducePackets):
            true
        case (.info(let key, _), .info(let other, _)): key == other
        default: false
        }
    }
}
