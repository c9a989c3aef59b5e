import AudioCore
import AudioFileStreamServices
import HostSystem

/// A byte source and its parser: properties and packets of a song, piece by piece, wherever the bytes come from.
///
/// Another song may follow in the same source (links of an Ogg chain that need their own decoders): ``hasNext`` says so
/// when the song is finished, and ``beginNext()`` switches to it.
///
/// A file that is truncated while being read ends there. Used from one thread at a time.
public struct SongStream: ~Copyable {
    public static let standardPieceByteCount = 64 * 1024

    private let source: any ByteSource
    private var stream: AudioFileStream
    private var refinement: StreamRefinement
    private let probe: FormatProbe?
    private let piece: UnsafeMutableRawBufferPointer
    /// The part of the piece that belongs to the next song.
    private var unread = 0..<0
    private var next: AudioFileStream?
    public private(set) var isOpen = false
    /// Whether the source has random access.
    public private(set) var isSeekable = false
    /// Whether the source goes on by itself, as a station does.
    public var isLive: Bool { source.isLive }
    /// Songs in the source before this one. Songs without any readable packet do not count: they are skipped as if they
    /// did not exist, and what was reported of them is void.
    public private(set) var songsBefore = 0
    /// How often a song was skipped.
    public private(set) var passedCount = 0
    /// Whether another song follows in the source. Known when this one is finished.
    public private(set) var hasNext = false
    /// The last piece was parsed, or the song cannot be played any further.
    public private(set) var isFinished = false
    /// The source had no bytes yet: call ``wait(atMost:wake:)``, then read again.
    public private(set) var isWaiting = false

    /// - Parameter probe: determines the stream's format as decoded; without one the parser's format is used.
    public init(
        _ source: any ByteSource, probe: FormatProbe? = nil, pieceByteCount: Int = Self.standardPieceByteCount
    ) {
        self.probe = probe
        refinement = StreamRefinement(probe)
        stream = AudioFileStream()
        self.source = source
        piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 16)
    }

    /// Creates a stream of a file, which never has to wait.
    /// - Parameter isPureStream: whether to read from front to back only, as from a pipe.
    public init(
        _ file: consuming SongFile, probe: FormatProbe? = nil, isPureStream: Bool = false,
        pieceByteCount: Int = Self.standardPieceByteCount
    ) {
        self.init(
            FileSource(file, isPureStream: isPureStream), probe: probe, pieceByteCount: pieceByteCount)
    }

    deinit { piece.deallocate() }

    /// The properties known so far.
    public var summary: AudioStreamSummary { refinement.summary }
    /// Packets so far, and the size of the largest.
    public var packetCount: Int64 { stream.packetCount }
    public var largestPacketByteCount: Int { stream.largestPacketByteCount }
    /// Problems met so far, including those beyond the number that is reported.
    public var problemCount: Int { stream.problemCount }

    /// Returns the source's events since the last call.
    public func takeEvents() -> [ByteSourceEvent] { source.takeEvents() }

    /// Waits until the source may have bytes, until a signal, or for `span`.
    public func wait(atMost span: TimeSpan, wake: WakeSignal) { source.wait(atMost: span, wake: wake) }

    /// Reads and parses one piece. Returns its size: 0 at the end, or if the source has no bytes yet.
    /// - Throws: why the song cannot be played, or not any further; it is then finished.
    public mutating func advance<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(SongFailure) -> Int {
        guard !isFinished else { return 0 }
        do throws(SongFailure) {
            let read: ByteRead
            do throws(SongFailure) {
                read = try self.read()
            } catch {
                // Play what came before the error.
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

    /// Switches to the next song, if there is one. From now on all reports are about that one.
    public mutating func beginNext() {
        guard let next = next.take() else { return }
        stream = next
        refinement = StreamRefinement(probe)
        songsBefore += 1
        (isFinished, hasNext) = (false, false)
    }

    /// Whether it can be read again from another place without delay: a file.
    public var isFile: Bool { isSeekable && source is FileSource }

    /// Returns a stream of the same file that begins at its front; nil if it is no file.
    func again() -> SongStream? { isFile ? SongStream(source, probe: probe) : nil }

    /// Seeks to where reading must continue for `frame` to sound right: the decoder's pre-roll packets before it.
    ///
    /// Where only reading tells the place, a file is read from its front up to there. If it ends before, the last
    /// packets come next. Ogg's pages do not say how many frames lie before them in a chain, nor which packet they
    /// begin with: an hour of Vorbis, 54 MB, is read in 0.06 s (2026-11-25, in memory already).
    /// - Parameter frame: counted in audible frames; 0 is the first.
    /// - Returns: the position of the next packet; an estimate if the container does not say where its packets are.
    /// - Throws: if there is no such frame, or its place is unknown. Reading then continues as before, or from the
    ///   front.
    public mutating func seek(to frame: FramePosition) throws(SongFailure) -> FramePosition {
        guard isSeekable else { throw SongFailure(.unusable, "\(source.name) comes as it comes, from front to back") }
        let priming = Int64(summary.packetTable?.primingFrameCount ?? 0)
        let wanted = max(0, frame.index) &+ priming
        do throws(AudioStreamError) {
            do throws(AudioStreamError) {
                return FramePosition(try move(toFrame: wanted) &- priming)
            } catch {
                guard error == .valueUnknown else { throw error }
            }
            return FramePosition((isFile ? try readOn(toFrame: wanted) : try jump(toFrame: wanted)) &- priming)
        } catch {
            throw SongFailure(.unusable, "\(source.name) \(error.explanation)")
        }
    }

    /// The packet to continue with for a frame of the decoded stream.
    private func packet(before frame: Int64) throws(AudioStreamError) -> Int64 {
        max(0, try stream.packet(containingFrame: frame).packet - Int64(summary.decoderPrerollPacketCount))
    }

    /// Seeks to a frame if its place is known.
    /// - Returns: the first frame of the next packet.
    private mutating func move(toFrame frame: Int64) throws(AudioStreamError) -> Int64 {
        let place = try stream.place(ofPacket: try packet(before: frame))
        guard !place.isEstimate || !isFile || summary.fileType != .ogg else { throw .valueUnknown }
        let first = try stream.firstFrame(ofPacket: place.packet)
        try move(toPacket: place.packet)
        return first
    }

    /// Seeks to where a frame is about; the next packet is taken for the one that holds it.
    private mutating func jump(toFrame frame: Int64) throws(AudioStreamError) -> Int64 {
        try move(toPacket: try packet(before: frame))
        return frame
    }

    /// Reads a song again, and gives nothing of it, until it is known where a frame is.
    private mutating func readOn(toFrame frame: Int64) throws(AudioStreamError) -> Int64 {
        try move(toPacket: 0)
        let formerCount = stream.packetCount
        var sink = NoSink()
        while !isFinished {
            guard (try? advance(into: &sink)) != nil else { break }
            if let first = try? move(toFrame: frame) { return first }
        }
        // It ends before.
        let last = max(0, stream.packetCount - formerCount - 1)
        try move(toPacket: 0)
        guard let first = try? stream.firstFrame(ofPacket: last) else { return 0 }
        try move(toPacket: last)
        return first
    }

    private mutating func move(toPacket packet: Int64) throws(AudioStreamError) {
        _ = try stream.seek(toPacket: packet)
        (isFinished, hasNext, unread) = (false, false, 0..<0)
        next = nil
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
            // Nothing is reported of a skipped song.
            guard stream.hasNextStream, packetCount == 0 else { throw error }
        }
    }
}

/// Takes no notice.
private struct NoSink: AudioStreamSink {
    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
}
