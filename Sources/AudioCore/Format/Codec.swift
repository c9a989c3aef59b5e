/// What the bytes of a packet are, as a four-character code in the manner of Core Audio's `AudioFormatID`.
public struct Codec: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The code's four ASCII characters, most significant first. Anything but four ASCII characters is our bug.
    public init(_ characters: StaticString) {
        precondition(characters.utf8CodeUnitCount == 4 && characters.isASCII)
        rawValue = characters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    public static let linearPCM = Codec("lpcm")
    public static let mpegLayer1 = Codec(".mp1")
    public static let mpegLayer2 = Codec(".mp2")
    public static let mpegLayer3 = Codec(".mp3")
}

extension Codec {
    /// For people: "MP3"; the four characters of one that this version does not know.
    public var commonName: String {
        switch self {
        case .mpegLayer3: "MP3"
        case .mpegLayer2: "MP2"
        case .mpegLayer1: "MP1"
        case .linearPCM: "PCM"
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
