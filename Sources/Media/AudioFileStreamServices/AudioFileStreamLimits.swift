/// Limits on what a file may ask of the parser; see also `AudioCore.Limits`.
public enum AudioFileStreamLimits {
    /// Bytes searched for the first MPEG frame, not counting tags, before a file is rejected as not audio.
    public static let junkByteCount = 128 * 1024
    /// Bytes of a text field in a tag; longer fields are skipped.
    public static let tagTextByteCount = 4 * 1024
    /// Bytes of an APE tag; a larger one is treated as junk.
    public static let apeTagByteCount = 16 * 1024 * 1024
    /// Bytes of a free-format MPEG frame without padding: the limit of libmpg123.
    public static let freeFormatByteCount = 3_456
    /// Bytes of WAVE's format chunk.
    public static let formatChunkByteCount = 4 * 1024
    /// Bytes scanned before a stream opens, to estimate its bit rate where frame headers do not give one.
    static let lookAheadByteCount = 32 * 1024
    /// Bytes of a text chunk (WAVE's LIST, CAF's info); longer ones are skipped.
    public static let infoChunkByteCount = 64 * 1024
    /// Bytes kept of CAF's packet table, one to four per packet: two days of AAC. Packets beyond it are not played.
    public static let packetTableByteCount = 16 * 1024 * 1024
    /// Bytes kept of an MPEG-4 file's packet tables: enough for a day of AAC with each packet in a chunk of its own.
    public static let sampleTableByteCount = 32 * 1024 * 1024
    /// Bytes of a description in an MPEG-4 file: a codec configuration, an edit list or an index.
    public static let descriptionByteCount = 128 * 1024
    /// Runs of packets in one fragment of an MPEG-4 file.
    static let fragmentRunCount = 16 * 1024
    /// Further streams of a chain, each with its own decoder, after the first: years of web radio.
    public static let followingStreamCount = 100_000
    /// Bytes parsed in one step. At most this much and one packet (`Limits.packetByteCount`) is held.
    static let stepByteCount = 32 * 1024
    /// Packets delivered in one call.
    static let groupPacketCount = 256
}
