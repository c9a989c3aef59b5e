/// The one version of FFmpeg's libavcodec that this door opens: 59 with libavutil 57 (FFmpeg 5.1, Debian 12).
///
/// The library is loaded at run time and known by its exported functions. Of its structures only the first fields are
/// touched:
///
/// | structure | field: byte offset |
/// |---|---|
/// | `AVCodec` | `id`: 20 |
/// | `AVCodecParameters` | `codec_type`: 0, `codec_id`: 4, `extradata`: 16, `extradata_size`: 24 |
/// | `AVPacket` | `data`: 24, `size`: 32 |
/// | `AVFrame` | `linesize`: 64, `extended_data`: 96, `nb_samples`: 112, `format`: 116 |
/// | `AVChannelLayout` | `nb_channels`: 4; 24 bytes in all |
///
/// Everything else goes through options, by name. FFmpeg promises offsets within a major version alone. So a major
/// version is believed when the conformance tests have passed with it, on every song of the corpus; any other is
/// refused.
public enum CodecLibraryVersion {
    /// Major versions that were tested together.
    public static let (codec, util) = (59, 57)

    /// What file names have in front of the major version.
    static let fileNamePrefix = "libavcodec.so."
    static let fileName = fileNamePrefix + "\(codec)"

    /// Why a library is not used, for people; nil if it is. Without what to install.
    /// - Parameters:
    ///   - codec: libavcodec's major version.
    ///   - util: that of the libavutil that came with it; as expected where it is not known.
    public static func objection(toCodec codec: Int, util: Int = util) -> String? {
        guard (codec, util) != (Self.codec, Self.util) else { return nil }
        let found = "libavcodec \(codec)" + (codec == Self.codec ? " with libavutil \(util)" : "")
        return "\(found) was found, and only libavcodec \(Self.codec) with libavutil \(Self.util) is supported"
    }
}

/// Byte offsets of the fields that are accessed; see ``CodecLibraryVersion``.
enum FieldOffset {
    static let codecID = 20
    static let parametersType = 0
    static let parametersID = 4
    static let parametersExtradata = 16
    static let parametersExtradataSize = 24
    static let packetData = 24
    static let frameLineSize = 64
    static let frameExtendedData = 96
    static let frameSampleCount = 112
    static let frameFormat = 116
    static let layoutChannelCount = 4
    static let layoutByteCount = 24
}
