import AudioCore

// Walks a chunk-based file from header to header; the dialect knows what a chunk means. In a pure stream the audio is
// played when its chunk is met, provided that everything that describes it came before; otherwise it cannot be played.
// With random access the parser first reads the chunks after the audio, for metadata to display and tables that the
// audio needs; then it jumps back to the audio, and skips what it has already read when it gets there again.

/// The parser of chunk-based containers.
struct ChunkParser<Dialect: ChunkDialect>: ContainerParser {
    enum State: Equatable {
        case fileHeader, chunkHeader
        case read(Chunk, byteCount: Int)
        case take(Chunk, isTag: Bool)
        case audioPrefix(Chunk, byteCount: Int, audioByteCount: Int64?)
        case audio
        /// Skips to an offset of the file, where the audio or another chunk begins.
        case skip(to: Int64, isAudio: Bool)
    }

    var dialect: Dialect
    /// The file's size with random access, otherwise nil.
    let fileByteCount: Int64?
    var state = State.fileHeader
    var info = InfoCollector()
    var group = PacketGroup()
    var audio: ChunkAudio?
    /// Offset of the byte after the last one seen.
    private var fileEnd: Int64 = 0
    private var id3v2: ID3v2Reader?
    /// Audio met before everything that describes it: its place and size, and the end of its chunk.
    private var pending: (start: Int64, byteCount: Int64?, chunkEnd: Int64)?

    init(_ dialect: Dialect, access: ByteAccess) {
        self.dialect = dialect
        fileByteCount = access.fileByteCount
    }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        fileEnd = offset &+ Int64(bytes.byteCount)
        var place = 0
        while place < bytes.byteCount || isSkipping {
            let rest = bytes.extracting(place..<bytes.byteCount)
            let step = try step(rest, at: offset &+ Int64(place), isLast: isLast, into: &sink)
            if step.jump != nil { return step }
            if step.consumed == 0, step.needed > 0 {
                guard isLast else { return Progress(consumed: place, needed: step.needed) }
                reportTruncatedStep(missing: step.needed - rest.byteCount, left: rest.byteCount, into: &sink)
                return Progress(consumed: bytes.byteCount, needed: step.needed)
            }
            place += step.consumed
        }
        return Progress(consumed: place, needed: 1)
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        if let pending {
            throw .invalidFile("nothing in the file says what the audio at byte \(pending.start) is")
        }
        if let missing = missingByteCount {
            sink.streamDidParse(property: .problem(.init(.truncated(missingByteCount: missing), at: fileEnd)))
        }
        guard audio != nil else { throw .dataUnavailable }
        try finishAudio(into: &sink)
    }

    /// Bytes that chunks claim and the file lacks. The pad byte of an odd chunk is often left out.
    private var missingByteCount: Int64? {
        let end: Int64? =
            switch state {
            case .audio: audio?.end
            case .skip(let end, _): end - 1
            case .take(let chunk, _): chunk.bodyEnd
            default: nil
            }
        guard let end, end < Int64.max - 1, end > fileEnd else { return nil }
        return isSkipping ? end + 1 - fileEnd : end - fileEnd
    }

    /// Reports what the file's end cuts off: after the audio, less than a chunk header is stray bytes, not a loss.
    private func reportTruncatedStep<Sink: AudioStreamSink & ~Copyable>(missing: Int, left: Int, into sink: inout Sink)
    {
        guard left > 0 else { return }
        let problem =
            state == .chunkHeader && audio != nil
            ? AudioStreamProblem(.skipped(byteCount: Int64(left)), at: fileEnd &- Int64(left))
            : AudioStreamProblem(.truncated(missingByteCount: Int64(missing)), at: fileEnd)
        sink.streamDidParse(property: .problem(problem))
    }

    // MARK: Steps

    /// Performs one step: consumes bytes, returns the number it needs, or changes the state and does neither.
    private mutating func step<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        if let wanted = wantedByteCount, bytes.byteCount < wanted { return Progress(consumed: 0, needed: wanted) }
        switch state {
        case .fileHeader:
            try dialect.read(fileHeader: bytes.extracting(0..<dialect.fileHeaderByteCount))
            state = .chunkHeader
            return Progress(consumed: dialect.fileHeaderByteCount, needed: 0)
        case .chunkHeader:
            let byteCount = dialect.headerByteCount
            try begin(dialect.chunk(bytes.extracting(0..<byteCount), at: offset), into: &sink)
            return Progress(consumed: byteCount, needed: 0)
        case .read(let chunk, let byteCount):
            info.give(try read(bytes.extracting(0..<byteCount), of: chunk), into: &sink)
            leave(chunk)
            return Progress(consumed: byteCount, needed: 0)
        case .take(let chunk, let isTag): return try take(bytes, of: chunk, isTag: isTag, at: offset, into: &sink)
        case .audioPrefix(let chunk, let byteCount, let audioByteCount):
            let skipped = try dialect.audioOffset(bytes.extracting(0..<byteCount), of: chunk)
            try meetAudio(chunk, skipped: skipped, byteCount: audioByteCount, into: &sink)
            return Progress(consumed: byteCount, needed: 0)
        case .audio: return try takeAudio(bytes, at: offset, isLast: isLast, into: &sink)
        case .skip(let end, let isAudio):
            if !isAudio, isFileEnd(end), try beginPending(into: &sink) { return Progress(consumed: 0, needed: 0) }
            return skip(to: end, isAudio: isAudio, bytes, at: offset)
        }
    }

    /// Bytes that the state needs in one piece.
    private var wantedByteCount: Int? {
        switch state {
        case .fileHeader: dialect.fileHeaderByteCount
        case .chunkHeader: dialect.headerByteCount
        case .read(_, let byteCount), .audioPrefix(_, let byteCount, _): byteCount
        case .take, .audio, .skip: nil
        }
    }

    private mutating func begin<Sink: AudioStreamSink & ~Copyable>(
        _ chunk: Chunk, into sink: inout Sink
    ) throws(AudioStreamError) {
        switch try dialect.use(of: chunk) {
        case .skip: state = .skip(to: chunk.end, isAudio: false)
        case .read(let byteCount):
            // An empty body is read at once.
            guard byteCount == 0 else {
                // While the audio is waiting, do not wait for bytes that the file lacks.
                let isCut = pending != nil && chunk.bodyOffset + Int64(byteCount) > fileByteCount ?? .max
                state = isCut ? .skip(to: .max, isAudio: false) : .read(chunk, byteCount: byteCount)
                return
            }
            info.give(try read(RawSpan(), of: chunk), into: &sink)
            leave(chunk)
        case .take: state = .take(chunk, isTag: false)
        case .id3v2: state = .take(chunk, isTag: true)
        case .audio(let prefix, let byteCount):
            guard audio == nil, pending == nil else { return state = .skip(to: chunk.end, isAudio: false) }
            if prefix > 0 {
                state = .audioPrefix(chunk, byteCount: prefix, audioByteCount: byteCount)
            } else {
                try meetAudio(chunk, skipped: 0, byteCount: byteCount, into: &sink)
            }
        }
    }

    private mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Dialect.Fields {
        do throws(AudioStreamError) {
            return try dialect.read(body, of: chunk)
        } catch {
            throw error.at(chunk.bodyOffset - Int64(dialect.headerByteCount))
        }
    }

    /// Continues a chunk that is taken in pieces.
    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, of chunk: Chunk, isTag: Bool, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        let bodyEnd = min(chunk.bodyEnd, fileByteCount ?? .max)
        let count = Int(max(0, min(bodyEnd - offset, Int64(bytes.byteCount))))
        let piece = bytes.extracting(0..<count)
        if isTag {
            guard
                id3v2 != nil || offset != chunk.bodyOffset || piece.byteCount >= ID3v2Reader.headerByteCount
                    || offset + Int64(count) >= bodyEnd
            else { return Progress(consumed: 0, needed: ID3v2Reader.headerByteCount) }
            takeTag(piece, isFirst: offset == chunk.bodyOffset, into: &sink)
        } else {
            try dialect.take(piece, of: chunk)
        }
        if offset + Int64(count) >= bodyEnd { leave(chunk) }
        return Progress(consumed: count, needed: 0)
    }

    private mutating func takeTag<Sink: AudioStreamSink & ~Copyable>(
        _ piece: RawSpan, isFirst: Bool, into sink: inout Sink
    ) {
        if isFirst {
            id3v2 = piece.byteCount >= ID3v2Reader.headerByteCount ? ID3v2Reader(piece, at: 0) : nil
        }
        guard var reader = id3v2.take(), !reader.isDone else { return }
        _ = reader.consume(piece, from: 0)
        info.give(reader.found, into: &sink)
        id3v2 = reader
    }

    private var isSkipping: Bool { if case .skip = state { true } else { false } }

    private mutating func skip(to end: Int64, isAudio: Bool, _ bytes: RawSpan, at offset: Int64) -> Progress {
        if end >= offset, end - offset <= Int64(bytes.byteCount) {
            state = isAudio ? .audio : .chunkHeader
            return Progress(consumed: Int(end - offset), needed: 0)
        }
        guard let fileByteCount, offset < fileByteCount || end < offset else {
            return Progress(consumed: bytes.byteCount, needed: bytes.byteCount == 0 ? 1 : 0)
        }
        return Progress(consumed: 0, needed: 1, jump: min(end, fileByteCount))
    }

    // MARK: The audio's chunk

    /// Moves on to the next chunk at the end of this one.
    private mutating func leave(_ chunk: Chunk) {
        id3v2 = nil
        state = .skip(to: chunk.end, isAudio: false)
    }

    /// Whether the file ends before another chunk header could fit at an offset.
    private func isFileEnd(_ offset: Int64) -> Bool {
        fileByteCount.map { offset > $0 - Int64(max(1, dialect.headerByteCount)) } ?? false
    }

    /// Goes back to the audio when all other chunks were read.
    private mutating func beginPending<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink)
        throws(AudioStreamError) -> Bool
    {
        guard let pending, let track = try dialect.track(at: pending.start, byteCount: pending.byteCount) else {
            return false
        }
        self.pending = nil
        beginAudio(track, at: pending.start, byteCount: pending.byteCount, chunkEnd: pending.chunkEnd, into: &sink)
        return true
    }

    private mutating func meetAudio<Sink: AudioStreamSink & ~Copyable>(
        _ chunk: Chunk, skipped: Int64, byteCount: Int64?, into sink: inout Sink
    ) throws(AudioStreamError) {
        let (start, overflows) = chunk.bodyOffset.addingReportingOverflow(skipped)
        guard !overflows else { throw .invalidFile("the audio of the chunk at byte \(chunk.bodyOffset) lies nowhere") }
        let chunkEnd = byteCount == nil ? Int64.max : chunk.end
        var byteCount = byteCount.map { max(0, $0 - skipped) }
        if let fileByteCount { byteCount = max(0, min(byteCount ?? .max, fileByteCount - start)) }
        byteCount = byteCount.map { min($0, Self.largestAudioByteCount) }
        if fileByteCount != nil, !isFileEnd(chunkEnd), dialect.headerByteCount > 0 {
            pending = (start, byteCount, chunkEnd)
            state = .skip(to: chunkEnd, isAudio: false)
        } else if let track = try dialect.track(at: start, byteCount: byteCount) {
            beginAudio(track, at: start, byteCount: byteCount, chunkEnd: chunkEnd, into: &sink)
        } else if fileByteCount != nil {
            pending = (start, byteCount, chunkEnd)
            state = .skip(to: chunkEnd, isAudio: false)
        } else {
            throw .notOptimized
        }
    }

    /// Keeps sums from overflowing, whatever size a file claims: with packets of one byte, each as long as `Limits`
    /// allows, at up to six times the declared sample rate (Opus in CAF).
    private static var largestAudioByteCount: Int64 { 1 << 44 }
}
