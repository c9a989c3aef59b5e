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
    /// Ways to decode a layered stream, the richest first: HE-AAC v2, HE-AAC and AAC of one and the same stream.
    /// ``dataFormat(_:)`` is the first.
    case formatList([AudioStreamFormat])
    /// What a decoder needs besides packets; its form is the codec's (see ``Codec``'s users in the decoding targets).
    case magicCookie([UInt8])
    /// Which loudspeaker each channel is for, where the file says so.
    case channelLayout(AudioChannelLayout)
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
    /// The first picture of a file: its bytes as they are (JPEG, PNG). At most ``Limits/artworkByteCount``.
    case artwork([UInt8])
    /// How many packets a decoder must be fed before the first one whose output is exact when it starts in the middle.
    case decoderPrerollPacketCount(Int)
    /// Something is wrong, and was passed over. At any time, as often as ``Limits/streamProblemCount`` allows.
    case problem(AudioStreamProblem)
    /// The song ends; at this offset in the file another stream begins that needs a decoder of its own: a further song,
    /// with properties and packets of its own. No packet of this stream comes after it.
    case nextStreamOffset(Int64)
    case readyToProducePackets
}

/// Which container the bytes are in.
public enum AudioFileType: Hashable, Sendable {
    case mpegLayer1, mpegLayer2, mpegLayer3
    case wave, aiff, aifc, caf
    /// NeXT and Sun: .au, .snd.
    case nextSun
    case flac, ogg
    /// AAC in Audio Data Transport Stream frames.
    case adts
    /// .mp4, .m4a, .m4b, .3gp, .3g2, fragmented too.
    case mpeg4
    case ac3, amr
    /// Tutti's own wire: the media part of a connection.
    case tutti
}

/// Keys of the info dictionary.
public enum AudioInfoKey: Hashable, Sendable {
    case title, artist, album, track, year
    case albumArtist, composer, genre, disc, comment
    /// ReplayGain: gains as decibels ("-6.20 dB"), peaks as a factor ("0.98").
    case trackGain, trackPeak, albumGain, albumPeak
}
