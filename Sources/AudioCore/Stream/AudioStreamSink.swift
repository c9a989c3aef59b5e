/// What a push parser tells its user: properties first, then packets.
///
/// The two calls are the property listener and the packets callback of Audio File Stream Services. A file's parser
/// and the wire's media parser speak to the same sink, so whoever plays one can play the other.
public protocol AudioStreamSink: ~Copyable {
    /// A property became known, or changed.
    mutating func streamDidParse(property: AudioStreamProperty)

    /// Whole packets, in order. `data` is valid during the call only. Descriptions index into `data` and are checked:
    /// every packet lies inside.
    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan)
}

/// A property of an audio stream, as the parser finds it; after Audio File Stream Services' property identifiers.
///
/// `readyToProducePackets` comes last of the properties that are needed to play, and before the first packet.
public enum AudioStreamProperty: Hashable, Sendable {
    case fileFormat(AudioFileType)
    case dataFormat(AudioStreamFormat)
    case magicCookie([UInt8])
    /// Bytes of audio, without headers and tags.
    case audioDataByteCount(Int64)
    case audioDataPacketCount(Int64)
    /// Offset of the first packet in the file.
    case dataOffset(Int64)
    /// An upper bound; real packets may all be smaller.
    case packetSizeUpperBound(Int)
    case packetTableInfo(AudioPacketTableInfo)
    /// Bits a second; of a stream of varying rate the average, exact or estimated.
    case bitRate(Int)
    /// Title, artist, album and the like, under the keys of ``AudioInfoKey``.
    case info(AudioInfoKey, String)
    /// How many packets a decoder must be fed before the first one whose output is exact when it starts in the middle.
    case decoderPrerollPacketCount(Int)
    case readyToProducePackets
}

/// Which container the bytes are in.
public enum AudioFileType: Hashable, Sendable {
    case mpegLayer1, mpegLayer2, mpegLayer3
    case wave
    /// Tutti's own wire: the media part of a connection.
    case tutti
}

/// Keys of the info dictionary.
public enum AudioInfoKey: Hashable, Sendable {
    case title, artist, album, track, year
}
