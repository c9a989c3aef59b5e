import AudioCore

/// Something that takes any bytes and must neither trap, nor hang, nor break a rule.
///
/// libFuzzer runs these (`Scripts/fuzz`); the ordinary tests replay what it kept. An input's first bytes choose how it
/// is used, the rest is the file.
public enum FuzzTarget: Hashable, Sendable {
    /// Our parser, told which container to expect.
    case parser(AudioFileType)
    /// Our parser without a hint, and the decoders in this process on what it gives.
    case decoder
    /// The decoders of PCM, G.711 and the like, in formats and packets that no parser gives.
    case samples
    /// MPEG packets that no parser has looked at, through our checks into libmpg123, which has no process of its own.
    case mpeg
    /// libavcodec's decoders, in this process, on packets that were hurt after parsing. For the fuzzer alone: the
    /// program runs them in a process that has nothing to lose.
    case foreign(AudioFileType)

    /// Bytes at the front of an input that are not part of the file.
    public static let prefixByteCount = 8

    public static let all: [FuzzTarget] = fileTypes.map { .parser($0.type) } + [.decoder, .samples, .mpeg]

    private static let fileTypes: [(name: String, type: AudioFileType)] = [
        ("mp3", .mpegLayer3), ("wave", .wave), ("aiff", .aiff), ("aifc", .aifc), ("caf", .caf), ("au", .nextSun),
        ("flac", .flac), ("ogg", .ogg), ("adts", .adts), ("mp4", .mpeg4), ("ac3", .ac3), ("amr", .amr),
    ]

    public var name: String {
        switch self {
        case .parser(let type): "parser-" + (Self.fileTypes.first { $0.type == type }?.name ?? "\(type)")
        case .decoder: "decoder"
        case .samples: "samples"
        case .mpeg: "mpeg"
        case .foreign(let type): "foreign-" + (Self.fileTypes.first { $0.type == type }?.name ?? "\(type)")
        }
    }

    public init?(name: String) {
        let known = Self.all + Self.fileTypes.map { .foreign($0.type) }
        guard let found = known.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Runs one input; which rule was broken, nil if none.
    public func violation(of input: [UInt8]) -> String? {
        guard input.count > Self.prefixByteCount else { return nil }
        let choices = Choices(bytes: Array(input.prefix(Self.prefixByteCount)))
        let file = Array(input.dropFirst(Self.prefixByteCount))
        return switch self {
        case .parser(let type): ParserRun(file: file, choices: choices, hint: type).violation()
        case .decoder: DecoderRun(file: file, choices: choices).violation()
        case .samples: SamplesRun(bytes: file, choices: choices).violation()
        case .mpeg: MPEGRun(bytes: file, choices: choices).violation()
        case .foreign: ForeignRun(file: file, choices: choices).violation()
        }
    }
}

/// What an input's first bytes choose.
struct Choices {
    var bytes: [UInt8]

    /// Which of a few ways to go.
    func mode(of count: Int) -> Int { Int(bytes[0]) % count }

    /// Sizes of pieces, over and over: small ones, large ones, as the bytes say.
    var pieces: [Int] {
        bytes[1..<6].map { byte in
            let size = Int(byte & 0x3F)
            return switch byte >> 6 {
            case 0: size
            case 1: size * 16
            case 2: size * 256
            default: 1 + size % 4
            }
        }
    }

    /// A number for a place, small ones more often than large.
    func number(below limit: Int64) -> Int64 {
        guard limit > 0 else { return 0 }
        let value = Int64(bytes[6]) << 8 | Int64(bytes[7])
        return value % limit
    }
}
