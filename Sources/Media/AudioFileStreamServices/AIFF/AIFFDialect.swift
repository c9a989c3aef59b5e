import AudioCore

// EA IFF 85: "FORM", size, "AIFF" or "AIFC", then chunks: a four-character name, a 32-bit big-endian size, that many
// bytes, and a pad byte if the size is odd. Chunks may come in any order: the audio (SSND) may precede the chunk that
// describes it. SSND begins with an offset to its first sample and a block size, both for alignment on disks.

/// AIFF and AIFF-C.
struct AIFFDialect: ChunkDialect {
    private let syntax = ChunkSyntax(isBigEndian: true)
    private var type = AudioFileType.aiff
    private var common: AIFFCommon?
    private var layout: AudioChannelLayout?
    private var isStreamed = false

    let fileHeaderByteCount = 12
    var headerByteCount: Int { syntax.headerByteCount }

    /// Offset and block size.
    private static let prefixByteCount: Int64 = 8

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError) {
        type = fileHeader.has("AIFC", at: 8) ? .aifc : .aiff
    }

    func chunk(_ header: RawSpan, at offset: Int64) -> Chunk { syntax.chunk(header, at: offset) }

    mutating func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse {
        switch chunk.name {
        case "COMM" where common == nil:
            let byteCount = type == .aifc ? AIFFCommon.typeByteCount : AIFFCommon.smallestByteCount
            guard chunk.byteCount >= Int64(byteCount) else {
                throw .invalidFile(
                    "AIFF's common chunk at byte \(chunk.bodyOffset - 8) has \(chunk.byteCount) bytes instead of "
                        + "\(byteCount)")
            }
            return .read(byteCount)
        case "SSND":
            isStreamed = Self.isLeftByStreaming(chunk.byteCount)
            let isTold = !isStreamed && chunk.byteCount > Self.prefixByteCount
            return .audio(prefix: Int(Self.prefixByteCount), byteCount: isTold ? chunk.byteCount : nil)
        case "CHAN" where layout == nil && chunk.byteCount >= 12:
            return .read(Int(min(chunk.byteCount, Int64(CoreAudioLayout.largestByteCount))))
        case "NAME", "AUTH", "ANNO":
            let isShort = chunk.byteCount > 0 && chunk.byteCount <= Int64(AudioFileStreamLimits.tagTextByteCount)
            return isShort ? .read(Int(chunk.byteCount)) : .skip
        case "ID3 ", "id3 ": return .id3v2
        default: return .skip
        }
    }

    /// Whether a size was left by a writer that could not seek back: all ones, the largest signed number, that rounded
    /// down to 4,096, or what sox computes from 0x7F000000 bytes.
    private static func isLeftByStreaming(_ byteCount: Int64) -> Bool {
        [0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000].contains(byteCount) || (0x7EFF_FF00...0x7F00_0100).contains(byteCount)
    }

    mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields {
        switch chunk.name {
        case "COMM": common = try AIFFCommon(body)
        case "CHAN": layout = CoreAudioLayout.read(body)
        case "NAME": return text(.title, body)
        case "AUTH": return text(.artist, body)
        default: return text(.comment, body)
        }
        return []
    }

    private func text(_ key: AudioInfoKey, _ body: RawSpan) -> Fields {
        TagText.field(key, TagText.guessed(body.copy(0..<body.byteCount)))
    }

    func audioOffset(_ prefix: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Int64 {
        Self.prefixByteCount + Int64(prefix.bigEndian32(at: 0))
    }

    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack? {
        guard let common else { return nil }
        return AudioTrack(
            fileType: type, format: common.format,
            channelLayout: layout.flatMap { $0.labels.count == common.format.channelsPerFrame ? $0 : nil },
            packets: .constant, byteCount: isStreamed ? nil : common.byteCount)
    }
}
