import AudioCore

/// What the first frame of a row says of the whole.
struct RowDescription {
    var fileType: AudioFileType
    var format: AudioStreamFormat
    var cookie: [UInt8] = []
    var layout: AudioChannelLayout?
    var packetSizeUpperBound: Int
    /// Bits a second, where the frames say it.
    var nominalBitRate: Int?
    var decoderPrerollPacketCount: Int
}
