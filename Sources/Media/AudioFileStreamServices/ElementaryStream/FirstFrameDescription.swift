import AudioCore

/// What the first frame of an elementary stream says about the whole.
struct FirstFrameDescription {
    var fileType: AudioFileType
    var format: AudioStreamFormat
    var cookie: [UInt8] = []
    var layout: AudioChannelLayout?
    var packetSizeUpperBound: Int
    /// Bits per second, if the frames give it.
    var nominalBitRate: Int?
    var decoderPrerollPacketCount: Int
}
