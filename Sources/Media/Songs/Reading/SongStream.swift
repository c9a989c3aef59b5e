import AudioCore
import AudioFileStreamServices
import HostSystem

/// A source of bytes and its parser: properties and packets of a song, piece by piece, wherever the bytes lie.
///
/// Behind a song there may be another one in the same source (links of an Ogg chain that need decoders of their own):
/// ``hasNext`` says so when the song is finished, and ``beginNext()`` goes over to it.
///
/// A file that is cut while it is read ends where it was cut. One thread at a time.
public struct SongStream: ~Copyable {
    public static let standardPieceByteCount = 64 * 1024

    private let source: any ByteSource
    private var stream: AudioFileStream
    private var refinement: StreamRefinement
    private let probe: FormatProbe?
    private let piece: UnsafeMutableRawBufferPointer
    /// Of the piece, what was read and belongs to the song that follows.
    private var unread = 0..<0
    private var next: AudioFileStream?
    private var isOpen = false
    /// Whether the source has bytes from wherever they are wanted.
    public private(set) var isSeekable = false
    /// Songs of the source before this one. Those of which no packet can be had do not count: they are passed over as if
    /// they were not there, and what was told of one is void.
    public private(set) var songsBefore = 0
    /// How often a song was passed over.
    public private(set) var passedCount = 0
    /// Another song follows in the source. Known when this one is finished.
    public private(set) var hasNext = false
    /// The last piece was parsed, or the song cannot be played any further.
    public private(set) var isFinished = false
    /// The source had no bytes yet: ``wait(atMost:wake:)``, then ask again.
    public private(set) var isWaiting = false

    /// - Parameter probe: tells what the stream is as decoded; without one the parser's word is taken.
    public init(
        _ source: any ByteSource, probe: FormatProbe? = nil, pieceByteCount: Int = Self.standardPieceByteCount
    ) {
        self.probe = probe
        refinement = StreamRefinement(probe)
        stream = AudioFileStream()
        self.source = source
        piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    }

    /// Of a file, which is never waited for.
    /// - Parameter isPureStream: whether to read from front to back only, as who gets the file through a pipe must.
    public init(
        _ file: consuming SongFile, probe: FormatProbe? = nil, isPureStream: Bool = false,
        pieceByteCount: Int = Self.standardPieceByteCount
    ) {
        self.init(
            FileSource(file, isPureStream: isPureStream), probe: probe, pieceByteCount: pieceByteCount)
    }

    deinit { piece.deallocate() }

    /// The properties so far.
    public var summary: AudioStreamSummary { refinement.summary }
    /// Packets so far, and the largest of them.
    public var packetCount: Int64 { stream.packetCount }
    public var largestPacketByteCount: Int { stream.largestPacketByteCount }
    /// Problems so far, those included that were too many to be told.
    public var problemCount: Int { stream.problemCount }

    /// What the source told since the last call.
    public func takeNews() -> [SourceNews] { source.takeNews() }

    /// Waits until the source may have bytes, until a signal, or for `span`.
    public func wait(atMost span: TimeSpan, wake: WakeSignal) { source.wait(atMost: span, wake: wake) }

    /// Reads and parses one piece. Returns how many bytes there were: none at the end, or where the source has none yet.
    /// - Throws: why the song cannot be played, or not any further; it is finished then.
    public mutating func advance<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(SongFailure) -> Int {
        guard !isFinished else { return 0 }
        do throws(SongFailure) {
            let read: ByteRead
            do throws(SongFailure) {
                read = try self.read()
            } catch {
                // What came before is played.
                try? parse(.end, into: &sink)
                throw error
            }
            isWaiting = read == .notYet
            if isWaiting { return 0 }
            try parse(read, into: &sink)
            if isFinished { refinement.finish(into: &sink) }
            if hasNext, packetCount == 0 {
                passedCount += 1
                beginNext()
                songsBefore -= 1
            }
            if case .bytes(let count, _) = read { return count }
            return 0
        } catch {
            isFinished = true
            refinement.finish(into: &sink)
            throw error
        }
    }

    /// Goes over to the song that follows, where there is one. What is told from now on is told of that one.
    public mutating func beginNext() {
        guard let next = next.take() else { return }
        stream = next
        refinement = StreamRefinement(probe)
        songsBefore += 1
        (isFinished, hasNext) = (false, false)
    }

    /// Goes to where reading has to go on so that `frame` sounds as it should: as many packets before it as the decoder
    /// needs first.
    /// - Parameter frame: of the audible ones, 0 is the first.
    /// - Returns: where the packet lies that is given next. Where the container does not say where its packets are, that is
    ///   an estimate.
    /// - Throws: where there is no such frame, or nobody can tell where it is. Reading goes on as before then.
    public mutating func seek(to frame: FramePosition) throws(SongFailure) -> FramePosition {
        guard isSeekable else { throw SongFailure(.unusable, "\(source.name) comes as it comes, from front to back") }
        let priming = Int64(summary.packetTable?.primingFrameCount ?? 0)
        do throws(AudioStreamError) {
            let (packet, _) = try stream.packet(containingFrame: max(0, frame.index) &+ priming)
            let place = try stream.seek(toPacket: max(0, packet - Int64(summary.decoderPrerollPacketCount)))
            (isFinished, hasNext, unread) = (false, false, 0..<0)
            next = nil
            return FramePosition(try stream.firstFrame(ofPacket: place.packet) &- priming)
        } catch {
            throw SongFailure(.unusable, "\(source.name) \(error.explanation)")
        }
    }

    private mutating func read() throws(SongFailure) -> ByteRead {
        if !isOpen {
            guard let access = try source.open() else { return .notYet }
            stream = AudioFileStream(access: access)
            if case .file = access { isSeekable = true }
            isOpen = true
        }
        if !unread.isEmpty { return .bytes(unread.count) }
        let offset = stream.nextByteOffset
        return offset < 0 ? .end : try source.read(into: piece, at: offset)
    }

    private mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ read: ByteRead, into sink: inout Sink
    ) throws(SongFailure) {
        try withUnsafeMutablePointer(to: &sink) { (pointer) throws(SongFailure) in
            var refining = RefiningSink(sink: pointer, refinement: refinement)
            try parse(read, refined: &refining)
        }
    }

    private mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ read: ByteRead, refined sink: inout RefiningSink<Sink>
    ) throws(SongFailure) {
        do throws(AudioStreamError) {
            switch read {
            case .bytes(let count, let followsGap):
                let range = unread.isEmpty ? 0..<count : unread
                unread = 0..<0
                let start = stream.nextByteOffset
                let bytes = UnsafeRawBufferPointer(rebasing: piece[range])
                try stream.parse(bytes.bytes, discontinuity: followsGap, into: &sink)
                guard stream.hasNextStream else { return }
                try finish(into: &sink)
                if let offset = next?.nextByteOffset {
                    unread = min(range.upperBound, range.lowerBound + Int(offset - start))..<range.upperBound
                }
            case .end: try finish(into: &sink)
            case .notYet: break
            }
        } catch {
            throw SongFailure(.unusable, "\(source.name) \(error.explanation)")
        }
    }

    private mutating func finish<Sink: AudioStreamSink & ~Copyable>(
        into sink: inout RefiningSink<Sink>
    ) throws(AudioStreamError) {
        isFinished = true
        defer {
            next = stream.nextStream()
            hasNext = stream.hasNextStream
        }
        do throws(AudioStreamError) {
            try stream.finish(into: &sink)
        } catch {
            // Of what is passed over nothing is said.
            guard stream.hasNextStream, packetCount == 0 else { throw error }
        }
    }
}
