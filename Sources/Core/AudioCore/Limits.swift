/// Every limit on what outside data may ask for, in one place.
///
/// No memory is ever sized by a number from a file or a peer before that number was checked against these limits.
public enum Limits {
    /// Accepted sample rates, in hertz.
    public static let sampleRateRange: ClosedRange<Double> = 8_000...192_000
    /// Channels per frame.
    public static let channelRange: ClosedRange<Int> = 1...8
    /// Bytes in one encoded packet. The largest that occur are incompressible sound in a lossless codec: 16,384 frames
    /// of 24-bit stereo (FLAC's streamable subset), or 4,096 of eight channels, 96 KiB. PCM is cut into smaller
    /// packets.
    public static let packetByteCount = 192 * 1024
    /// Frames in one encoded packet: FLAC's longest block.
    public static let packetFrameCount = 65_535
    /// Bytes of a codec's magic cookie.
    public static let magicCookieByteCount = 64 * 1024
    /// UTF-8 bytes in a song's title, artist or album as displayed.
    public static let titleByteCount = 256
    /// Bytes of a song's artwork; a larger picture is left out.
    public static let artworkByteCount = 4 * 1024 * 1024
    /// Bytes of a song's lyrics in a tag; longer ones are left out.
    public static let lyricsByteCount = 64 * 1024
    /// What a song's samples may be multiplied with for the sake of its loudness: up to +24 dB.
    public static let gainRange: ClosedRange<Float> = 0...16
    /// Problems that are reported per stream; a file may have as many as it has bytes.
    public static let streamProblemCount = 16
}
