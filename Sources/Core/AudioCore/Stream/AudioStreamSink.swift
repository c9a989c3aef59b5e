/// Receives what a push parser finds: properties first, then packets.
///
/// The two calls are the property listener and the packets callback of Audio File Stream Services. File parsers and the
/// wire's media parser use the same sink, so whoever plays one can play the other.
public protocol AudioStreamSink: ~Copyable {
    /// Takes a property that became known, or changed.
    mutating func streamDidParse(property: AudioStreamProperty)

    /// Takes whole packets, in order. `data` is valid during the call only. The descriptions index into `data`, and
    /// every packet is known to lie inside it.
    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan)

    /// Takes a tag's lyrics, if the sink wants them: by default they are ignored. Called for each tag that has some,
    /// among the properties.
    mutating func streamDidParse(lyrics: AudioStreamLyrics)
}

extension AudioStreamSink where Self: ~Copyable {
    public mutating func streamDidParse(lyrics: AudioStreamLyrics) {}
}

/// A property of an audio stream; the cases follow Audio File Stream Services' property identifiers.
///
/// `readyToProducePackets` comes after all properties needed to play, and before the first packet.
public enum AudioStreamProperty: Hashable, Sendable {
    case fileFormat(AudioFileType)
    case dataFormat(AudioStreamFormat)
    /// Ways to decode a layered stream, the richest first: HE-AAC v2, HE-AAC and AAC of one stream. ``dataFormat(_:)``
    /// is the first.
    case formatList([AudioStreamFormat])
    /// What a decoder needs before the first packet; its form depends on the codec (see the decoding targets).
    case magicCookie([UInt8])
    /// The loudspeaker of each channel, where the file gives it.
    case channelLayout(AudioChannelLayout)
    /// Bytes of audio, without headers and tags.
    case audioDataByteCount(Int64)
    case audioDataPacketCount(Int64)
    /// Offset of the first packet in the file.
    case dataOffset(Int64)
    /// An upper bound; every packet may be smaller.
    case packetSizeUpperBound(Int)
    case packetTableInfo(AudioPacketTableInfo)
    /// Bits per second; for a varying rate the average, exact or estimated.
    case bitRate(Int)
    /// Title, artist, album and the like, keyed by ``AudioInfoKey``.
    case info(AudioInfoKey, String)
    /// The first picture in a file, its bytes unchanged (JPEG, PNG). At most ``Limits/artworkByteCount``.
    case artwork([UInt8])
    /// How many packets a decoder must be fed before the first exact one when it starts mid-stream.
    case decoderPrerollPacketCount(Int)
    /// What samples are multiplied with, within ``Limits/gainRange``. No file has it: a broadcaster sets it by the
    /// loudness tags.
    case gain(Float)
    /// A defect that was passed over. May come at any time, as often as ``Limits/streamProblemCount`` allows.
    case problem(AudioStreamProblem)
    /// The song ends; at this offset in the file begins another stream that needs its own decoder: a further song, with
    /// its own properties and packets. No packet of this stream follows.
    case nextStreamOffset(Int64)
    case readyToProducePackets
}

/// The container of a stream.
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
    /// Whether the song's album is a compilation, of several artists' songs: "1" if so, "0" if not.
    case compilation
    /// What a title, artist or album is ordered by instead of its name: "Beatles, The".
    case titleSort, artistSort, albumSort, albumArtistSort
    /// ReplayGain, towards -18 LUFS: gains as decibels ("-6.20 dB"), peaks as a factor ("0.98").
    case trackGain, trackPeak, albumGain, albumPeak
}
