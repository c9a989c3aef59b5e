import AudioCore

// ISO base media files (ISO/IEC 14496-12): MPEG-4 (14496-14), 3GPP (TS 26.244) and, with small differences, QuickTime
// are kinds of them. A file is a tree of boxes. `moov` describes tracks; their bytes lie anywhere, usually in `mdat`.
// The parser goes from box to box (``MovieReader``) or from packet to packet, wherever the tables place them
// (``SamplePlayer``), and skips what lies in between:
//
//   walking   -> table     `moov` is over, and has a table of packets
//             -> indexing  the first `moof` begins: there may be an index at the end of the file
//             -> fragment  a `moof` is over
//             -> done      no more boxes
//   indexing  -> walking   the index was read, or there is none
//   table, fragment -> walking   the packets were given; fragments may follow
//   table -> done                the packets were given; no more do
//   any -> done                  what is asked for is more than the file is worth
//   any -> walking, table        a seek
//
// With random access it goes wherever it must; a pure stream cannot go back: tables after the audio, or packets that
// are not in file order, are not optimized.

/// The parser of MPEG-4 files.
struct MPEG4Parser: ContainerParser {
    private enum State {
        case walking, indexing, fragment, done
        case table(SampleTableCursor)
    }

    /// Nil in a pure stream.
    private let fileByteCount: Int64?
    private var state = State.walking
    private var boxes: MovieReader
    private var player: SamplePlayer
    private var fragments = FragmentSeekIndex()
    /// Of a file that can be gone back in.
    private var returns: BackwardSeekBudget?
    /// Where the box begins that follows those containing packets of `moov`.
    private var tableEnd: Int64 = 0
    /// End of the bytes brought so far.
    private var seenEnd: Int64 = 0

    init(access: ByteAccess) {
        fileByteCount = access.fileByteCount
        boxes = MovieReader(fileByteCount: fileByteCount)
        returns = fileByteCount.map { BackwardSeekBudget(fileByteCount: $0) }
        player = SamplePlayer(fileByteCount: fileByteCount)
    }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        let end = offset &+ Int64(bytes.byteCount)
        // With random access the file's end is known.
        let isAtEnd = isLast || fileByteCount.map { end >= $0 } ?? false
        seenEnd = end
        if bytes.byteCount > 0 { player.stream.isFreshlyPlaced = false }
        var place = 0
        while let step = try step(bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
            switch step {
            case .took(let count):
                place += count
            case .needsMore(let count):
                player.flush(bytes, into: &sink)
                return Progress(consumed: place, needed: count)
            case .goTo(let target):
                let position = offset &+ Int64(place)
                if target >= position, target <= end {
                    place = Int(target - offset)
                    continue
                }
                player.flush(bytes, into: &sink)
                guard let fileByteCount else { return Progress(consumed: bytes.byteCount, needed: 1) }
                if target < position, returns?.goBack() == false {
                    player.giveUp("MPEG-4 packets in no order that can be followed", at: target, bytes, into: &sink)
                    enter(.done)
                    continue
                }
                let jump = min(target, fileByteCount)
                return Progress(consumed: bytes.byteCount, needed: 1, jump: jump == end ? nil : jump)
            }
        }
        player.flush(bytes, into: &sink)
        return Progress(consumed: bytes.byteCount, needed: 1, jump: fileByteCount.flatMap { $0 > end ? $0 : nil })
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard boxes.movieEnd != nil else {
            throw .invalidFile("MPEG-4 tables ('moov') are missing: the file ends at byte \(fileByteCount ?? seenEnd)")
        }
        try player.finish(into: &sink)
    }

    /// Fails except right after a seek: nothing in the bytes after a gap reveals their place.
    func skipGap() throws(AudioStreamError) {
        guard player.stream.isFreshlyPlaced else { throw .discontinuityCannotRecover }
    }

    // MARK: Steps

    /// Performs one step; returns nil when everything is done.
    /// - Parameter offset: offset of the window in the file.
    private mutating func step<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> MovieProgress? {
        let position = offset &+ Int64(place)
        switch state {
        case .walking: return try walk(bytes, at: place, position, isAtEnd: isAtEnd, into: &sink)
        case .indexing:
            if let step = fragments.read(bytes, at: place, position, isAtEnd: isAtEnd) { return step }
            state = .walking
            return .took(0)
        case .table, .fragment: return play(bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
        case .done: return nil
        }
    }

    /// Changes from the current state to another.
    private mutating func enter(_ next: State) {
        if case .table = state { tableEnd = max(tableEnd, boxes.next) }
        state = next
    }

    private mutating func walk<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> MovieProgress {
        let options = MovieReader.Options(
            collectsSegmentIndex: fragments.wantsIndex,
            stopsBeforeFragment: fileByteCount != nil && fragments.maySearch)
        let outcome = try boxes.step(
            bytes, at: place, position, isAtEnd: isAtEnd, isPlaying: player.stream.isReady, options, into: &sink)
        switch outcome {
        case .progress(let step): return step
        case .stopped(.movie): try openMovie()
        case .stopped(.fragment): openFragment()
        case .stopped(.beforeFragment): searchIndex(before: position)
        case .stopped(.segmentIndex(let body, let end, let count)):
            takeIndex(body, end: end)
            return .took(count)
        case .stopped(.end): state = .done
        }
        return .took(0)
    }

    /// Plays what `moov` describes, or searches for fragments.
    private mutating func openMovie() throws(AudioStreamError) {
        guard let track = boxes.movie.track, let entry = boxes.entry, let movieEnd = boxes.movieEnd else { return }
        player.stream.begin(boxes.movie, track, entry, boxes.gaplessTag)
        guard !track.table.isEmpty else { return }
        guard fileByteCount != nil || track.table.isAscending(from: movieEnd) else { throw .notOptimized }
        state = .table(SampleTableCursor(track.table, blocks: entry.blocks))
    }

    private mutating func openFragment() {
        guard let entry = boxes.entry, !boxes.fragment.isEmpty else { return }
        fragments.note(
            FragmentIndex.Entry(
                packet: player.stream.nextPacket, byteOffset: boxes.fragment.offset, frame: player.stream.nextFrame))
        boxes.fragment.blocks = entry.blocks
        state = .fragment
    }

    // MARK: Playing

    /// Delivers packets up to the first one that is not in the window.
    private mutating func play<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) -> MovieProgress {
        switch playCursor(bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
        case .took(let count): return .took(count)
        case .needsMore(let count): return .needsMore(count)
        case .away(let target):
            return boxes.pass(towards: target, bytes, at: place, offset &+ Int64(place), isAtEnd: isAtEnd)
        case .gaveUp(let count):
            enter(.done)
            return .took(count)
        case .ended:
            enter(boxes.movie.isFragmented ? .walking : .done)
            return .took(0)
        }
    }

    /// Moves the cursor out of the state meanwhile, to avoid copying it.
    private mutating func playCursor<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) -> SamplePlayer.Outcome {
        let bundle = boxes.entry?.bundle
        switch state {
        case .table(var cursor):
            state = .done
            defer { state = .table(cursor) }
            return player.play(&cursor, bundle, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
        default:
            var cursor = Fragment()
            swap(&cursor, &boxes.fragment)
            defer { swap(&cursor, &boxes.fragment) }
            return player.play(&cursor, bundle, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
        }
    }

    // MARK: Indexes of fragments

    /// Takes a segment index, which precedes the fragments that it lists.
    private mutating func takeIndex(_ body: [UInt8], end: Int64) {
        let first = player.stream.nextPacket
        let priming = first == 0 ? player.stream.primingFrameCount : 0
        guard let track = boxes.movie.track, !player.stream.hasGap,
            var announced = AnnouncedFragments(of: boxes.entry, firstPacket: first, priming: priming),
            SegmentIndex.read(body, end: end, track: track.id, into: &announced)
        else { return }
        fragments.announce(announced)
    }

    /// Goes to the end of the file before the first fragment, if an index may be there.
    private mutating func searchIndex(before offset: Int64) {
        guard let fileByteCount, let track = boxes.movie.track else { return }
        let empty = AnnouncedFragments(of: boxes.entry, firstPacket: 0, priming: player.stream.primingFrameCount)
        if fragments.search(empty, of: track, in: offset..<max(offset, fileByteCount)) { state = .indexing }
    }

    // MARK: Seeking

    /// Where packets lie, as far as is known now.
    var seekIndex: MovieSeekIndex {
        let movieEnd = boxes.movieEnd ?? 0
        let isInTable = if case .table = state { true } else { false }
        return MovieSeekIndex(
            stream: player.stream, movie: boxes.movie, entry: boxes.entry, fragments: fragments,
            fileByteCount: fileByteCount, movieEnd: movieEnd,
            streamedTableEnd: max(movieEnd, tableEnd, isInTable ? boxes.next : 0),
            firstMiscount: player.firstMiscount)
    }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        enter(.walking)
        fragments.abandonSearch()
        fragments.resume()
        returns?.reset()
        let seekIndex = seekIndex
        let (found, way) = try seekIndex.find(packet: place.packet)
        switch way {
        case .table(let cursor):
            boxes.restart(at: fileByteCount == nil ? seekIndex.streamedTableEnd : seekIndex.movieEnd)
            state = .table(cursor)
            let frame = (try? seekIndex.tableFrame(ofPacket: found.packet)) ?? 0
            player.stream.goTo(packet: found.packet, sample: cursor.packet, frame: frame)
        case .fragment(let frame):
            boxes.restart(at: found.byteOffset)
            fragments.resume(at: found)
            player.stream.goTo(packet: found.packet, sample: found.packet, frame: frame)
        }
    }
}
