/// What a file may ask of the parser; see also `AudioCore.Limits`.
public enum AudioFileStreamLimits {
    /// Bytes that are searched for the first MPEG frame, tags not counted, before a file is given up as not audio.
    public static let junkByteCount = 128 * 1024
    /// Bytes of a text field in a tag; longer ones are skipped.
    public static let tagTextByteCount = 4 * 1024
    /// Bytes of an APE tag; what claims to be longer is taken for junk.
    public static let apeTagByteCount = 16 * 1024 * 1024
    /// Bytes of a free-format MPEG frame without padding: what libmpg123 takes.
    public static let freeFormatByteCount = 3_456
    /// Bytes of WAVE's format chunk.
    public static let formatChunkByteCount = 4 * 1024
    /// Bytes that are looked through for a first guess of the bit rate before a stream opens whose frames do not say
    /// it.
    static let lookAheadByteCount = 32 * 1024
    /// Bytes of a chunk of texts (WAVE's LIST, CAF's info); longer ones are skipped.
    public static let infoChunkByteCount = 64 * 1024
    /// Bytes that are kept of CAF's packet table, one to four a packet: two days of AAC. What comes after is not
    /// played.
    public static let packetTableByteCount = 16 * 1024 * 1024
    /// Bytes of an MPEG-4 file's packet tables that are held: enough for a day of AAC, each packet in a chunk of its
    /// own.
    public static let sampleTableByteCount = 32 * 1024 * 1024
    /// Bytes of a description in an MPEG-4 file: a codec's configuration, an edit list, an index.
    public static let descriptionByteCount = 128 * 1024
    /// Runs of packets in one fragment of an MPEG-4 file.
    static let fragmentRunCount = 16 * 1024
    /// Streams of a chain, each with a decoder of its own, that follow the first: years of web radio.
    public static let followingStreamCount = 100_000
    /// Bytes that are looked at in one step. At most this much and one packet (`Limits.packetByteCount`) is held.
    static let stepByteCount = 32 * 1024
    /// Packets that are handed over in one call.
    static let groupPacketCount = 256
}
