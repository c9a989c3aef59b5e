/// A stream's properties, gathered: what a player and its display need of them.
public struct AudioStreamSummary: Hashable, Sendable {
    /// All, in the order in which they came.
    public private(set) var properties: [AudioStreamProperty] = []
    public private(set) var format: AudioStreamFormat?
    public private(set) var magicCookie: [UInt8] = []
    public private(set) var packetTable: AudioPacketTableInfo?
    public private(set) var bitRate: Int?
    public private(set) var decoderPrerollPacketCount = 0
    public private(set) var info: [AudioInfoKey: String] = [:]
    public private(set) var isReady = false

    public init() {}

    public mutating func note(_ property: AudioStreamProperty) {
        switch property {
        case .dataFormat(let format): self.format = format
        case .magicCookie(let cookie): magicCookie = cookie
        case .packetTableInfo(let table): packetTable = table
        case .bitRate(let rate): bitRate = rate
        case .decoderPrerollPacketCount(let count): decoderPrerollPacketCount = count
        case .info(let key, let text): info[key] = text
        case .readyToProducePackets: isReady = true
        default: break
        }
        properties.append(property)
    }

    /// Audible length; nil where the stream does not say.
    public var duration: TimeSpan? {
        guard let frames = packetTable?.validFrameCount, let rate = format?.sampleRate, rate > 0 else { return nil }
        return TimeSpan(seconds: Double(frames) / rate)
    }
}
