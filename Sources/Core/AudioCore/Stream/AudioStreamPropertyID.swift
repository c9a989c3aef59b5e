/// Which property of an audio stream is meant, as a four-character code: those of Audio File Stream Services
/// (`kAudioFileStreamProperty_...`), and of Audio File Services where those have none.
public struct AudioStreamPropertyID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The code's four ASCII characters, most significant first. Anything but four ASCII characters is our bug.
    public init(_ characters: StaticString) { rawValue = Codec(characters).rawValue }

    /// `Bool`.
    public static let readyToProducePackets = AudioStreamPropertyID("redy")
    /// ``AudioFileType``.
    public static let fileFormat = AudioStreamPropertyID("ffmt")
    /// ``AudioStreamFormat``.
    public static let dataFormat = AudioStreamPropertyID("dfmt")
    /// An array of ``AudioStreamFormat``, the richest first; one that is not layered has one.
    public static let formatList = AudioStreamPropertyID("flst")
    /// An array of `UInt8`.
    public static let magicCookieData = AudioStreamPropertyID("mgic")
    /// `Int64`.
    public static let audioDataByteCount = AudioStreamPropertyID("bcnt")
    /// `Int64`.
    public static let audioDataPacketCount = AudioStreamPropertyID("pcnt")
    /// `Int`: bytes of the largest packet there is. Known where all are alike, or after all went by.
    public static let maximumPacketSize = AudioStreamPropertyID("psze")
    /// `Int64`: where in the file the first packet begins.
    public static let dataOffset = AudioStreamPropertyID("doff")
    /// ``AudioChannelLayout``.
    public static let channelLayout = AudioStreamPropertyID("cmap")
    /// ``AudioPacketTableInfo``.
    public static let packetTableInfo = AudioStreamPropertyID("pnfo")
    /// `Int`: bytes that no packet exceeds.
    public static let packetSizeUpperBound = AudioStreamPropertyID("pkub")
    /// `Double`.
    public static let averageBytesPerPacket = AudioStreamPropertyID("abpp")
    /// `Int`, bits a second.
    public static let bitRate = AudioStreamPropertyID("brat")
    /// A dictionary of texts by ``AudioInfoKey``.
    public static let infoDictionary = AudioStreamPropertyID("info")
    /// ``TimeSpan`` (`kAudioFilePropertyEstimatedDuration`).
    public static let estimatedDuration = AudioStreamPropertyID("edur")
    /// `Bool`: whether packets cannot be decoded each by itself.
    public static let restrictsRandomAccess = AudioStreamPropertyID("rrap")
    /// A translation: of a packet to its first frame.
    public static let packetToFrame = AudioStreamPropertyID("pkfr")
    /// A translation: of a frame to the packet that holds it, and its distance from that one's first.
    public static let frameToPacket = AudioStreamPropertyID("frpk")
    /// A translation: of a packet to the byte of the file where it begins.
    public static let packetToByte = AudioStreamPropertyID("pkby")
    /// A translation: of a byte of the file to the packet that holds it.
    public static let byteToPacket = AudioStreamPropertyID("bypk")
    /// A translation: of a packet to how many before it must be decoded.
    public static let packetToRollDistance = AudioStreamPropertyID("pkrl")
}

extension AudioStreamPropertyID: CustomStringConvertible {
    public var description: String { Codec(rawValue: rawValue).description }
}

extension AudioStreamProperty {
    /// By which a parser's user can ask for it again; nil for what is told once only.
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
        case .artwork, .nextStreamOffset, .problem: nil
        }
    }
}
