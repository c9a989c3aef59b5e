/// The encoding of a packet's bytes, as a four-character code like Core Audio's `AudioFormatID`.
public struct Codec: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a codec from four ASCII characters, most significant first; anything else is a programming error and
    /// traps.
    public init(_ characters: StaticString) {
        precondition(characters.utf8CodeUnitCount == 4 && characters.isASCII)
        rawValue = characters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    public static let linearPCM = Codec("lpcm")
    public static let mpegLayer1 = Codec(".mp1")
    public static let mpegLayer2 = Codec(".mp2")
    public static let mpegLayer3 = Codec(".mp3")
    /// G.711, one byte per sample.
    public static let muLaw = Codec("ulaw")
    public static let aLaw = Codec("alaw")
    /// Apple's IMA 4:1: packets of 64 frames, 34 bytes per channel.
    public static let ima4 = Codec("ima4")
    /// The IMA ADPCM of WAVE files (`kAudioFormatDVIIntelIMA`).
    public static let waveIMA = Codec(rawValue: 0x6D73_0011)
    /// AAC Low Complexity; below it with SBR (HE-AAC), and with SBR and parametric stereo (HE-AAC v2).
    public static let aac = Codec("aac ")
    public static let aacHE = Codec("aach")
    public static let aacHEv2 = Codec("aacp")
    public static let alac = Codec("alac")
    public static let ac3 = Codec("ac-3")
    public static let flac = Codec("flac")
    public static let opus = Codec("opus")
    public static let vorbis = Codec("vorb")
    public static let amrNarrowband = Codec("samr")
    public static let amrWideband = Codec("sawb")
}

extension Codec {
    /// The name for display, such as "MP3"; the four characters of a codec that this version does not know.
    public var commonName: String {
        switch self {
        case .mpegLayer3: "MP3"
        case .mpegLayer2: "MP2"
        case .mpegLayer1: "MP1"
        case .linearPCM: "PCM"
        case .muLaw: "mu-law"
        case .aLaw: "A-law"
        case .ima4, .waveIMA: "IMA ADPCM"
        case .aac: "AAC"
        case .aacHE: "HE-AAC"
        case .aacHEv2: "HE-AAC v2"
        case .alac: "ALAC"
        case .ac3: "AC-3"
        case .flac: "FLAC"
        case .opus: "Opus"
        case .vorbis: "Vorbis"
        case .amrNarrowband: "AMR"
        case .amrWideband: "AMR-WB"
        default: description
        }
    }
}

extension Codec: CustomStringConvertible {
    /// The four characters; bytes that are not printable ASCII are shown as `?`.
    public var description: String {
        String(
            String.UnicodeScalarView(
                [24, 16, 8, 0].map { shift in
                    let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
                    return (0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?"
                }))
    }
}
