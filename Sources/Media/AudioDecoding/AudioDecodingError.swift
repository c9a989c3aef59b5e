import AudioCore

/// Why a stream cannot be decoded, or not any further.
public enum AudioDecodingError: Error, Hashable, Sendable {
    /// No decoder is registered for this codec.
    case unsupportedCodec(Codec)
    /// The codec has a decoder, but it cannot decode this format. The text says why.
    case unsupportedFormat(String)
    /// The stream changed its sample rate, channels or codec: make a new decoder for what follows.
    case formatChanged
    /// A packet exceeds ``AudioCore/Limits``. Do not trust the stream.
    case packetExceedsLimits(byteCount: Int, frameCount: Int)
    /// The decoder's library failed (out of memory, for instance): operation, code and the library's text.
    case libraryFailed(operation: String, code: Int32, text: String)
    /// Decoding was interrupted: see ``DecodingInterrupt``.
    case interrupted
}

extension AudioDecodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsupportedCodec(let codec): "no decoder for \(codec.commonName)" + Self.remedy(for: codec)
        case .unsupportedFormat(let reason): "cannot be decoded: \(reason)"
        case .formatChanged: "the stream changed its format on the way"
        case .packetExceedsLimits(let byteCount, let frameCount):
            "a packet of \(byteCount) bytes and \(frameCount) frames is beyond all limits"
        case .libraryFailed(let operation, let code, let text): "\(operation) failed: \(text) (\(code))"
        case .interrupted: "decoding was interrupted"
        }
    }
}

extension AudioDecodingError {
    /// Says what to install to decode a codec, to append to an error message; empty if nothing would help.
    public static func remedy(for codec: Codec) -> String {
        switch codec {
        case .aac, .aacHE, .aacHEv2, .alac, .flac, .vorbis, .opus, .ac3, .amrNarrowband, .amrWideband:
            "; install libavcodec 59 (on Debian 12: sudo apt install libavcodec59)"
        default: ""
        }
    }
}
