/// The versions of FFmpeg's libavcodec that are supported.
///
/// The library is loaded at run time and used through its exported functions. Of its structures only the first fields
/// are accessed, which FFmpeg has not moved since 58. Tested only with 59 (Debian 12):
///
/// | structure | field: byte offset |
/// |---|---|
/// | `AVCodec` | `id`: 20 |
/// | `AVCodecParameters` | `codec_type`: 0, `codec_id`: 4, `extradata`: 16, `extradata_size`: 24 |
/// | `AVPacket` | `data`: 24, `size`: 32 |
/// | `AVFrame` | `linesize`: 64, `extended_data`: 96, `nb_samples`: 112, `format`: 116 |
/// | `AVChannelLayout` (since libavutil 57.24) | `nb_channels`: 4; 24 bytes in all |
///
/// Everything else is set by options, by name. Major versions that are not listed are refused.
public enum CodecLibraryVersion {
    /// The major versions of libavcodec, the preferred first, each with that of its libavutil.
    static let majors: [(codec: Int, util: Int)] = [(62, 60), (61, 59), (60, 58), (59, 57), (58, 56)]

    /// The first version that decodes FLAC of more than 24 bits.
    static let firstWithWideFLAC = 60

    static func fileName(major: Int) -> String { "libavcodec.so.\(major)" }
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
