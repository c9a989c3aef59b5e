import AudioCore
import AudioFileStream

/// A file and its parser: properties and packets of a song, piece by piece, wherever in the file they lie.
///
/// A file that is cut while it is read ends where it was cut. One thread at a time.
public struct SongStream: ~Copyable {
    public static let standardPieceByteCount = 64 * 1024

    private let file: SongFile
    private var stream: AudioFileStream
    private let refinement: StreamRefinement
    private let piece: UnsafeMutableRawBufferPointer
    /// The last piece was parsed, or the song cannot be played any further.
    public private(set) var isFinished = false

    /// - Parameters:
    ///   - probe: tells what the stream is as decoded; without one the parser's word is taken.
    ///   - isPureStream: whether to read from front to back only, as who gets the file through a pipe must.
    public init(
        _ file: consuming SongFile, probe: FormatProbe? = nil, isPureStream: Bool = false,
        pieceByteCount: Int = Self.standardPieceByteCount
    ) {
        refinement = StreamRefinement(probe)
        stream = AudioFileStream(access: isPureStream ? .stream : .file(byteCount: file.byteCount))
        self.file = file
        piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    }

    deinit { piece.deallocate() }

    public var path: String { file.path }
    public var byteCount: Int64 { file.byteCount }
    public var identity: FileIdentity { file.identity }
    /// The properties so far.
    public var summary: AudioStreamSummary { refinement.summary }
    /// Packets so far, and the largest of them.
    public var packetCount: Int64 { stream.packetCount }
    public var largestPacketByteCount: Int { stream.largestPacketByteCount }
    /// Problems so far, those included that were too many to be told.
    public var problemCount: Int { stream.problemCount }

    /// Reads and parses one piece. Returns how many bytes there were: none at the end.
    /// - Throws: why the song cannot be played, or not any further; it is finished then.
    public mutating func advance<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(SongFailure) -> Int {
        guard !isFinished else { return 0 }
        do throws(SongFailure) {
            let offset = stream.nextByteOffset
            let wanted = max(0, min(Int64(piece.count), file.byteCount &- offset))
            let target = UnsafeMutableRawBufferPointer(rebasing: piece[..<Int(wanted)])
            let count = offset < 0 ? 0 : try file.read(into: target, at: offset)
            try withUnsafeMutablePointer(to: &sink) { (pointer) throws(SongFailure) in
                var refining = RefiningSink(sink: pointer, refinement: refinement)
                try parse(count, into: &refining)
            }
            if isFinished { refinement.finish(into: &sink) }
            return count
        } catch {
            isFinished = true
            refinement.finish(into: &sink)
            throw error
        }
    }

    private mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ count: Int, into sink: inout Sink
    ) throws(SongFailure) {
        do throws(AudioStreamError) {
            if count == 0 {
                isFinished = true
                try stream.finish(into: &sink)
            } else {
                let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
                try stream.parse(bytes.bytes, discontinuity: false, into: &sink)
            }
        } catch {
            throw SongFailure(.unusable, "'\(file.path)' \(error.explanation)")
        }
    }
}
