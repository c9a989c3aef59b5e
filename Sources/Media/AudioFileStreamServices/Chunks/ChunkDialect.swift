import AudioCore

/// What a container does with a chunk.
enum ChunkUse {
    case skip
    /// Its first bytes, as many as are said and no more than it has, are given to ``ChunkDialect/read(_:of:)`` in one
    /// piece.
    case read(Int)
    /// All of it is given to ``ChunkDialect/take(_:of:)``, in pieces.
    case take
    /// An ID3v2 tag.
    case id3v2
    /// The audio. ``ChunkDialect/audioOffset(_:of:)`` is given as many bytes at its front first; as many bytes of the
    /// body are believed to be there, or all to the end of the file if that is nil.
    case audio(prefix: Int, byteCount: Int64?)
}

/// One container of those made of chunks: what its chunks mean. ``ChunkParser`` finds them.
protocol ChunkDialect {
    typealias Fields = [(AudioInfoKey, String)]

    var fileHeaderByteCount: Int { get }
    /// Bytes of a chunk's header.
    var headerByteCount: Int { get }

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError)

    /// The chunk whose header, whole, stands at an offset of the file.
    mutating func chunk(_ header: RawSpan, at offset: Int64) -> Chunk

    /// What is to be done with a chunk, asked once; after a jump back a chunk may be met again.
    mutating func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse

    mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields

    mutating func take(_ piece: RawSpan, of chunk: Chunk) throws(AudioStreamError)

    /// Bytes of the audio chunk before the audio.
    mutating func audioOffset(_ prefix: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Int64

    /// What the audio is; nil as long as a chunk that tells it is missing.
    /// - Parameters:
    ///   - start: offset in the file of the audio's first byte.
    ///   - byteCount: bytes of audio, nil if only the file's end will tell.
    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack?
}

extension ChunkDialect {
    mutating func take(_ piece: RawSpan, of chunk: Chunk) throws(AudioStreamError) {}
    mutating func audioOffset(_ prefix: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Int64 {
        Int64(prefix.byteCount)
    }
}

/// What the chunks around the audio say of it.
struct AudioTrack {
    var fileType: AudioFileType
    var format: AudioStreamFormat
    /// Ways to decode it, the richest first, if there are several.
    var formatList: [AudioStreamFormat] = []
    var magicCookie: [UInt8] = []
    var channelLayout: AudioChannelLayout?
    var packets: PacketSizes
    /// Bytes of audio, if what stands around it knows them better than its own chunk.
    var byteCount: Int64?
    var primingFrameCount = 0
    /// Audible frames, where not simply all.
    var validFrameCount: Int64?
    var prerollPacketCount = 0
    /// What is wrong with the chunks that tell of the audio.
    var problems: [AudioStreamProblem] = []
}

/// How audio is divided into packets.
enum PacketSizes {
    /// All have the format's size.
    case constant
    case table(PacketTable)
    /// The audio is a file of its own, which its own parser divides.
    case elementary(SharedParser)
}

/// A parser that stands in a value which is passed around.
final class SharedParser {
    var parser: any ContainerParser

    init(_ parser: any ContainerParser) { self.parser = parser }
}
