import AudioCore

/// A stream's codec and setup, in the forms that the library takes.
public struct LibraryDecoderSetup: Hashable, Sendable {
    public var codec: Codec
    /// As decoded, in hertz.
    public var sampleRate: Double
    public var channelCount: Int
    public var magicCookie: [UInt8]
    /// Whether to detect SBR (14496-3 section 4.6.18) from the packets, like a decoder that knows nothing but the
    /// cookie. Otherwise the codec says whether it is used.
    public var findsImplicitSBR: Bool
    /// Whether to output samples as full-scale 32-bit integers instead of floats: for ALAC and FLAC with more than 24
    /// bits.
    public var outputsIntegers: Bool

    public init(
        codec: Codec, sampleRate: Double, channelCount: Int, magicCookie: [UInt8], findsImplicitSBR: Bool = false,
        outputsIntegers: Bool = false
    ) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.magicCookie = magicCookie
        self.findsImplicitSBR = findsImplicitSBR
        self.outputsIntegers = outputsIntegers
    }

    /// The codecs that the library can decode.
    public static let codecs: [Codec] = [
        .aac, .aacHE, .aacHEv2, .alac, .flac, .vorbis, .opus, .ac3, .amrNarrowband, .amrWideband,
    ]

    /// The library's decoder names for the codec, the preferred first.
    var decoderNames: [String] {
        switch codec {
        case .aac, .aacHE, .aacHEv2: ["aac"]
        case .alac: ["alac"]
        case .flac: ["flac"]
        case .vorbis: ["vorbis"]
        // The reference implementation, if the library includes it.
        case .opus: ["libopus", "opus"]
        case .ac3: ["ac3"]
        case .amrNarrowband: ["amrnb"]
        case .amrWideband: ["amrwb"]
        default: []
        }
    }

    /// The library's options for this codec.
    var options: [(name: String, value: String)] {
        switch codec {
        // A frame with a wrong checksum would be noise at full level.
        case .flac, .ac3: [("err_detect", "+crccheck+explode")]
        default: []
        }
    }

    private static func alacAtomHeader(cookieByteCount: Int) -> [UInt8] {
        let size = UInt32(clamping: cookieByteCount + 12)
        return withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array("alac".utf8) + [0, 0, 0, 0]
    }

    /// The cookie in the form that the library takes.
    var extradata: [UInt8] {
        switch codec {
        case .aac, .aacHE, .aacHEv2: findsImplicitSBR ? magicCookie : AACSignalling.explicit(self)
        // The library expects the atom that contains it in QuickTime: size, name, version and flags.
        case .alac: Self.alacAtomHeader(cookieByteCount: magicCookie.count) + magicCookie
        default: magicCookie
        }
    }
}
