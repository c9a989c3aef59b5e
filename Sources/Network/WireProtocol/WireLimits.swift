import AudioCore

/// Limits of the wire: how much one message may hold, whoever sent it.
public enum WireLimits {
    /// Bytes of a known message's payload. A packets message carries well under a second of audio.
    public static let payloadByteCount = 256 * 1024
    /// Bytes of an unknown message's payload; it is skipped, not stored.
    public static let skippedPayloadByteCount = 16 * 1024 * 1024
    /// Packets in one packets message.
    public static let packetsPerMessage = 1_024
    /// Every position on a timeline is below this: 2^48 frames are 46 years at 192 kHz.
    public static let framePositionBound: Int64 = 1 << 48
    /// UTF-8 bytes in a peer's name (a DNS-SD instance label holds 63, RFC 6763 section 4.1.1).
    public static let peerNameByteCount = 63
    /// Codecs that a greeting may list.
    public static let codecCount = 64
    /// Listeners in one roster: with the longest names and reports it stays below the payload limit.
    public static let rosterEntryCount = 1_024
    /// How often a listener may be asked to report while nothing changes: more rarely would look like silence.
    public static let reportIntervals = TimeSpan.milliseconds(100)...TimeSpan.seconds(2)
    /// The longest sound that a device is said to hold for good.
    public static let irrevocableSpan = TimeSpan.seconds(10)
    /// Bytes of a clock datagram, see ClockSync.
    public static let clockDatagramByteCount = 64
    /// Bytes of a step of a pairing: a key, a confirmation, or nothing.
    public static let pairingStepByteCount = 128
    /// Bytes of a text that explains a refusal or an end.
    public static let reasonByteCount = 512
    /// Bytes of the address of a song or station.
    public static let addressByteCount = 2_048
    /// Sources that one command may add, and their bytes together: a command stays below 4,096 bytes.
    public static let sourcesPerCommand = 64
    public static let sourceByteCount = 3_072
    /// Bytes of a song in one message from whoever adds it: that stays below 4,096 bytes, too.
    public static let songBytesCount = 3_072
    /// Items of the queue in one page.
    public static let itemsPerPage = 256
    /// Bytes of what somebody looks for in a library, and songs that one lookup may find.
    public static let queryByteCount = 512
    public static let foundSongCount = 1_000
    /// Bytes of all that one lookup finds, and of one part of it.
    public static let findingByteCount = Limits.artworkByteCount
    public static let findingPartByteCount = 16 * 1024
    /// Listeners in a programme's state: the message stays below the payload limit.
    public static let listenerSettingsCount = 1_024
}
