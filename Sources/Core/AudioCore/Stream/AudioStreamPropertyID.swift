/// Identifies a property of an audio stream by a four-character code: those of Audio File Stream Services
/// (`kAudioFileStreamProperty_...`), and of Audio File Services where the former has none.
public struct AudioStreamPropertyID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates an identifier from four ASCII characters, most significant first; anything else is a programming error
    /// and traps.
    public init(_ characters: StaticString) { rawValue = Codec(characters).rawValue }

    /// `Bool`.
    public static let readyToProducePackets = AudioStreamPropertyID("redy")
    /// ``AudioFileType``.
    public static let fileFormat = AudioStreamPropertyID("ffmt")
    /// ``AudioStreamFormat``.
    public static let dataFormat = AudioStreamPropertyID("dfmt")
    /// An array of ``AudioStreamFormat``, the richest first; only one for a stream that is not layered.
    public static let formatList = AudioStreamPropertyID("flst")
    /// An array of `UInt8`.
    public static let magicCookieData = AudioStreamPropertyID("mgic")
    /// `Int64`.
    public static let audioDataByteCount = AudioStreamPropertyID("bcnt")
    /// `Int64`.
    public static let audioDataPacketCount = AudioStreamPropertyID("pcnt")
    /// `Int`: size of the largest packet in bytes. Known where all are the same size, or once all were parsed.
    public static let maximumPacketSize = AudioStreamPropertyID("psze")
    /// `Int64`: offset of the first packet in the file.
    public static let dataOffset = AudioStreamPropertyID("doff")
    /// ``AudioChannelLayout``.
    public static let channelLayout = AudioStreamPropertyID("cmap")
    /// ``AudioPacketTableInfo``.
    public static let packetTableInfo = AudioStreamPropertyID("pnfo")
    /// `Int`: a size in bytes that no packet exceeds.
    public static let packetSizeUpperBound = AudioStreamPropertyID("pkub")
    /// `Double`.
    public static let averageBytesPerPacket = AudioStreamPropertyID("abpp")
    /// `Int`, bits per second.
    public static let bitRate = AudioStreamPropertyID("brat")
    /// A dictionary of texts keyed by ``AudioInfoKey``.
    public static let infoDictionary = AudioStreamPropertyID("info")
    /// ``TimeSpan`` (`kAudioFilePropertyEstimatedDuration`).
    public static let estimatedDuration = AudioStreamPropertyID("edur")
    /// `Bool`: whether packets depend on others to be decoded.
    public static let restrictsRandomAccess = AudioStreamPropertyID("rrap")
    /// A translation: from a packet to its first frame.
    public static let packetToFrame = AudioStreamPropertyID("pkfr")
    /// A translation: from a frame to the packet that holds it, and its distance from that packet's first frame.
    public static let frameToPacket = AudioStreamPropertyID("frpk")
    /// A translation: from a packet to the byte of the file where it begins.
    public static let packetToByte = AudioStreamPropertyID("pkby")
    /// A translation: from a byte of the file to the packet that holds it.
    public static let byteToPacket = AudioStreamPropertyID("bypk")
    /// A translation: from a packet to the number of packets before it that must be decoded first.
    public static let packetToRollDistance = AudioStreamPropertyID("pkrl")
}

extension AudioStreamPropertyID: CustomStringConvertible {
    public var description: String { Codec(rawValue: rawValue).description }
}

extension AudioStreamProperty {
    /// The identifier by which a parser's user can ask for the property again; nil if it is reported only once.
    public var identifier: AudioStreamPropertyID? {
        switch self {
        case .fileFormat: .fileFormat
        case .dataFormat: .dataFormat
        case .formatList: .formatList
        case .magicCookie: .magicCookieData
        case .channelLayout: .channelLayout
        case .audioDataByteCount: .audioDataByteCount
        case .audioDataPacketCount: .audioDataPacketCount
        case .dataOffset: .dataOffset
        case .packetSizeUpperBound: .packetSizeUpperBound
        case .packetTableInfo: .packetTableInfo
        case .bitRate: .bitRate
        case .info: .infoDictionary
        case .decoderPrerollPacketCount: .packetToRollDistance
        case .readyToProducePackets: .readyToProducePackets
        case .artwork, .gain, .nextStreamOffset, .problem: nil
        }
    }
}
