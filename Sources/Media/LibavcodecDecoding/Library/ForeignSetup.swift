import AudioCore

/// A stream's codec and set-up, in the forms in which the library wants them.
public struct ForeignSetup: Hashable, Sendable {
    public var codec: Codec
    /// As decoded, in hertz.
    public var sampleRate: Double
    public var channelCount: Int
    public var magicCookie: [UInt8]
    /// Whether spectral band replication (14496-3 section 4.6.18) is to be found out from the packets, as a decoder
    /// does that knows nothing but the cookie. Otherwise the codec says whether it is there.
    public var findsImplicitSBR: Bool
    /// Whether samples are to come as integers of 32 bits at full scale, not as floats: those of ALAC and FLAC
    /// that have more than 24.
    public var givesIntegers: Bool

    public init(
        codec: Codec, sampleRate: Double, channelCount: Int, magicCookie: [UInt8], findsImplicitSBR: Bool = false,
        givesIntegers: Bool = false
    ) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.magicCookie = magicCookie
        self.findsImplicitSBR = findsImplicitSBR
        self.givesIntegers = givesIntegers
    }

    /// What the library can decode.
    public static let codecs: [Codec] = [
        .aac, .aacHE, .aacHEv2, .alac, .flac, .vorbis, .opus, .ac3, .amrNarrowband, .amrWideband,
    ]

    /// The library's names of decoders for the codec, the preferred first.
    var decoderNames: [String] {
        switch codec {
        case .aac, .aacHE, .aacHEv2: ["aac"]
        case .alac: ["alac"]
        case .flac: ["flac"]
        case .vorbis: ["vorbis"]
        // The reference implementation, where the library has it.
        case .opus: ["libopus", "opus"]
        case .ac3: ["ac3"]
        case .amrNarrowband: ["amrnb"]
        case .amrWideband: ["amrwb"]
        default: []
        }
    }

    /// Options of the library for this codec.
    var options: [(name: String, value: String)] {
        switch codec {
        // A frame whose checksum is wrong would be noise at full level.
        case .flac, .ac3: [("err_detect", "+crccheck+explode")]
        default: []
        }
    }

    private static func alacAtomHeader(cookieByteCount: Int) -> [UInt8] {
        let size = UInt32(clamping: cookieByteCount + 12)
        return withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array("alac".utf8) + [0, 0, 0, 0]
    }

    /// The cookie in the library's form.
    var extradata: [UInt8] {
        switch codec {
        case .aac, .aacHE, .aacHEv2: findsImplicitSBR ? magicCookie : AACSignalling.explicit(self)
        // The library wants the atom that QuickTime keeps it in: size, name, version and flags.
        case .alac: Self.alacAtomHeader(cookieByteCount: magicCookie.count) + magicCookie
        default: magicCookie
        }
    }
}
