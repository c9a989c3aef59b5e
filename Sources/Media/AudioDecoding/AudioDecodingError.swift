import AudioCore

/// Why a stream cannot be decoded, or cannot be decoded any further.
public enum AudioDecodingError: Error, Hashable, Sendable {
    /// No decoder is registered for this codec.
    case unsupportedCodec(Codec)
    /// The decoder exists; it cannot decode this format of its codec. The text says what is wrong with it.
    case unsupportedFormat(String)
    /// The stream changed its sample rate, channels or codec on the way: make a new decoder for what follows.
    case formatChanged
    /// A packet is larger than ``AudioCore/Limits`` allow. The stream is not to be trusted.
    case packetExceedsLimits(byteCount: Int, frameCount: Int)
    /// The decoder's library failed in itself (memory, for instance): operation, code and its own words.
    case libraryFailed(operation: String, code: Int32, text: String)
    /// Nobody wants the stream decoded any more: see ``DecodingInterrupt``.
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
    /// What to install where a codec cannot be decoded, to follow a text that says so; empty where nothing would help.
    public static func remedy(for codec: Codec) -> String {
        switch codec {
        case .aac, .aacHE, .aacHEv2, .alac, .flac, .vorbis, .opus, .ac3, .amrNarrowband, .amrWideband:
            "; install libavcodec 59 (on Debian 12: sudo apt install libavcodec59)"
        default: ""
        }
    }
}
