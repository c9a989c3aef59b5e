/// A stream's properties, gathered: what a player and its display need of them.
public struct AudioStreamSummary: Hashable, Sendable {
    /// All but artwork, in the order in which they came; what is told again stands where it first did. So there are never
    /// more than the kinds, the keys of ``AudioInfoKey`` and ``Limits/streamProblemCount`` together.
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
    public private(set) var info: [AudioInfoKey: String] = [:]
    /// What was passed over, in the order in which it was met; the first ``Limits/streamProblemCount`` of it.
    public private(set) var problems: [AudioStreamProblem] = []
    /// Where in the file a further song begins, if one does; known at this one's end.
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
        case .info(let key, let text): info[key] = text
        case .problem(let problem):
            guard problems.count < Limits.streamProblemCount else { return }
            problems.append(problem)
        case .nextStreamOffset(let offset): nextStreamOffset = offset
        case .readyToProducePackets: isReady = true
        // Large, and nobody asks twice.
        case .artwork: return
        }
        if let index = properties.firstIndex(where: { property.replaces($0) }) {
            properties[index] = property
        } else {
            properties.append(property)
        }
    }

    /// Audible length; nil where the stream does not say.
    public var duration: TimeSpan? {
        guard let frames = packetTable?.validFrameCount, let rate = format?.sampleRate, rate > 0 else { return nil }
        return TimeSpan(seconds: Double(frames) / rate)
    }

    /// ``duration``, or else what packets or bytes and bit rate let expect.
    public var estimatedDuration: TimeSpan? {
        if let duration { return duration }
        guard let format, format.sampleRate > 0 else { return nil }
        if let packetCount, format.framesPerPacket > 0 {
            return TimeSpan(seconds: Double(packetCount) * Double(format.framesPerPacket) / format.sampleRate)
        }
        guard let dataByteCount, let bitRate, bitRate > 0 else { return nil }
        return TimeSpan(seconds: Double(dataByteCount) * 8 / Double(bitRate))
    }

    /// Mean size of a packet, exact or of what is announced; nil where the stream does not say enough.
    public var averageBytesPerPacket: Double? {
        if let format, format.bytesPerPacket > 0 { return Double(format.bytesPerPacket) }
        guard let dataByteCount, let packetCount, packetCount > 0 else { return nil }
        return Double(dataByteCount) / Double(packetCount)
    }
}

extension AudioStreamProperty {
    /// Whether it says anew what another one said.
    fileprivate func replaces(_ earlier: AudioStreamProperty) -> Bool {
        switch (earlier, self) {
        case (.fileFormat, .fileFormat), (.dataFormat, .dataFormat), (.formatList, .formatList),
            (.magicCookie, .magicCookie), (.channelLayout, .channelLayout), (.audioDataByteCount, .audioDataByteCount),
            (.audioDataPacketCount, .audioDataPacketCount), (.dataOffset, .dataOffset),
            (.packetSizeUpperBound, .packetSizeUpperBound), (.packetTableInfo, .packetTableInfo),
            (.bitRate, .bitRate), (.decoderPrerollPacketCount, .decoderPrerollPacketCount),
            (.nextStreamOffset, .nextStreamOffset), (.readyToProducePackets, .readyToProducePackets):
            true
        case (.info(let key, _), .info(let other, _)): key == other
        default: false
        }
    }
}
