/// Every limit on what outside data may ask of us, in one place.
///
/// No memory is ever sized by a number that a file or a peer sent; such numbers are compared with these first.
public enum Limits {
    /// Sample rates that are accepted, in hertz.
    public static let sampleRateRange: ClosedRange<Double> = 8_000...192_000
    /// Channels per frame.
    public static let channelRange: ClosedRange<Int> = 1...8
    /// Bytes in one encoded packet. The largest that occur hold uncompressible sound without loss: 16,384 frames of
    /// 24-bit stereo (FLAC's streamable subset), or 4,096 of eight channels, 96 KiB. PCM packets are cut smaller.
    public static let packetByteCount = 192 * 1024
    /// Frames in one encoded packet: FLAC's longest block.
    public static let packetFrameCount = 65_535
    /// Bytes of a codec's magic cookie.
    public static let magicCookieByteCount = 64 * 1024
    /// Bytes of UTF-8 in a peer's name (a DNS-SD instance label holds 63, RFC 6763 section 4.1.1).
    public static let peerNameByteCount = 63
    /// Bytes of UTF-8 in a song's title, artist or album as shown.
    public static let titleByteCount = 256
    /// Bytes of a song's artwork; a larger picture is left out.
    public static let artworkByteCount = 4 * 1024 * 1024
    /// Problems that are told of one stream; a file may have as many as it has bytes.
    public static let streamProblemCount = 16
}
