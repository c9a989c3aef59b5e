import AudioCore

/// What a container does with a chunk.
enum ChunkUse {
    case skip
    /// Passes this many of the first bytes, but no more than the body has, to ``ChunkDialect/read(_:of:)`` in one
    /// piece.
    case read(Int)
    /// Passes the whole body to ``ChunkDialect/take(_:of:)``, in pieces.
    case take
    /// An ID3v2 tag.
    case id3v2
    /// The audio. Its first `prefix` bytes are passed to ``ChunkDialect/audioOffset(_:of:)`` first. `byteCount` is the
    /// size to believe; nil means all up to the end of the file.
    case audio(prefix: Int, byteCount: Int64?)
}

/// One chunk-based container: what its chunks mean. ``ChunkParser`` finds them.
protocol ChunkDialect {
    typealias Fields = [(AudioInfoKey, String)]

    var fileHeaderByteCount: Int { get }
    /// Bytes of a chunk's header.
    var headerByteCount: Int { get }

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError)

    /// Decodes a complete chunk header at an offset of the file.
    mutating func chunk(_ header: RawSpan, at offset: Int64) -> Chunk

    /// Decides what to do with a chunk; called once, but after a jump back a chunk may be met again.
    mutating func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse

    mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields

    mutating func take(_ piece: RawSpan, of chunk: Chunk) throws(AudioStreamError)

    /// Returns the number of bytes in the audio chunk before the audio.
    mutating func audioOffset(_ prefix: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Int64

    /// Describes the audio; returns nil while a chunk needed for that is missing.
    /// - Parameters:
    ///   - start: offset in the file of the audio's first byte.
    ///   - byteCount: bytes of audio; nil if they end where the file ends.
    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack?
}

extension ChunkDialect {
    mutating func take(_ piece: RawSpan, of chunk: Chunk) throws(AudioStreamError) {}
    mutating func audioOffset(_ prefix: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Int64 {
        Int64(prefix.byteCount)
    }
}

/// What the chunks around the audio say about it.
struct AudioTrack {
    var fileType: AudioFileType
    var format: AudioStreamFormat
    /// The ways to decode it, the richest first, if there are several.
    var formatList: [AudioStreamFormat] = []
    var magicCookie: [UInt8] = []
    var channelLayout: AudioChannelLayout?
    var packets: PacketSizes
    /// Bytes of audio, if other chunks give a better number than the audio's own.
    var byteCount: Int64?
    var primingFrameCount = 0
    /// Audible frames, if not all are.
    var validFrameCount: Int64?
    var prerollPacketCount = 0
    /// What is wrong with the chunks that describe the audio.
    var problems: [AudioStreamProblem] = []
}

/// How audio is divided into packets.
enum PacketSizes {
    /// All have the format's size.
    case constant
    case table(PacketTable)
    /// The audio is an elementary stream, which a parser of its own divides.
    case elementary(SharedParser)
}

/// A parser shared by the copies of a value.
final class SharedParser {
    var parser: any ContainerParser

    init(_ parser: any ContainerParser) { self.parser = parser }
}
