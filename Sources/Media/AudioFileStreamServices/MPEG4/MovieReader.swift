import AudioCore

// Walks the boxes: enters those that contain useful ones, collects those that describe the song, and skips the rest. It
// stops where its owner must decide how to continue: ``MovieReader/Stop``.

/// Reads the boxes of an MPEG-4 file: the contents of `moov`, and one `moof` after the other.
struct MovieReader {
    /// Where the reader stops, so that its owner decides how to continue.
    enum Stop {
        /// `moov` ended.
        case movie
        /// A fragment ended: ``MovieReader/fragment``, which may contain nothing of the track.
        case fragment
        /// A `moof` begins here (only with ``Options/stopsBeforeFragment``). The next step enters it.
        case beforeFragment
        /// A segment index; its box ends at `end`. `took` bytes were consumed up to there.
        case segmentIndex([UInt8], end: Int64, took: Int)
        /// No more boxes come, or only where a pure stream cannot go back to.
        case end
    }

    /// What came of one step.
    enum Outcome {
        case progress(MovieProgress)
        case stopped(Stop)
    }

    struct Options {
        /// Collect segment indexes (`sidx`), and stop after each.
        var collectsSegmentIndex: Bool
        /// Stop in front of a fragment: an index at the end of the file may list all of them.
        var stopsBeforeFragment: Bool
    }

    /// Nil in a pure stream.
    private let fileByteCount: Int64?
    private var walker = BoxWalker()
    private(set) var movie = Movie()
    /// Where the box after `moov` begins; nil until `moov` ended.
    private(set) var movieEnd: Int64?
    private(set) var gaplessTag: ITunesGaplessTag?
    /// The fragment last read, until its packets are played; fragments share its storage.
    var fragment = Fragment()
    /// The track whose box is being read.
    private var track = MovieTrack()
    private var tags = MovieTags()
    private var info = InfoCollector()
    private var hasArtwork = false
    private var hasLyrics = false

    init(fileByteCount: Int64?) {
        self.fileByteCount = fileByteCount
        if let fileByteCount { walker.fileEnd = fileByteCount }
    }

    /// Where the next box begins.
    var next: Int64 { walker.next }

    /// The description of the track that is played, once `moov` ended.
    var entry: SampleEntry? { movieEnd == nil ? nil : movie.track?.entry }

    /// Continues outside all boxes, at the header of one.
    /// - Parameter position: offset of its first byte in the file.
    mutating func restart(at position: Int64) {
        fragment.restart(at: position)
        walker.restart(at: position)
    }

    /// Performs one step from box to box.
    /// - Parameters:
    ///   - position: offset of `place` in the file.
    ///   - isPlaying: packets were delivered: an invalid box then ends the file instead of making it invalid.
    mutating func step<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool, isPlaying: Bool, _ options: Options,
        into sink: inout Sink
    ) throws(AudioStreamError) -> Outcome {
        if walker.next != position {
            guard walker.next > position || fileByteCount != nil else { return .stopped(.end) }
            if isAtEnd, walker.next > position &+ Int64(bytes.byteCount - place) { return try leaveAtEndOfFile() }
            // There is nothing to read at the end, and `finish` would be too late to go back.
            if let fileByteCount, walker.next >= fileByteCount { return try leaveAtEndOfFile() }
            return .progress(.goTo(walker.next))
        }
        if walker.collection != nil {
            let count = walker.gather(bytes, at: place, position: position)
            if let box = walker.takeWhole() {
                defer { walker.dropBody() }
                // This is the only box outside of others that is collected.
                guard walker.parent != nil else {
                    return .stopped(.segmentIndex(walker.body, end: box.end, took: count))
                }
                take(box.type, walker.body, at: box.start, into: &sink)
                return .progress(.took(count))
            }
            if count > 0 { return .progress(.took(count)) }
            return isAtEnd ? try leaveAtEndOfFile() : .progress(.needsMore(1))
        }
        if let level = walker.leave(at: position) { return try leave(level) }
        if let level = walker.levels.last, level.end - position < Int64(BoxHeader.smallestByteCount) {
            walker.skipToEndOfLevel()
            return .progress(.took(0))
        }
        switch BoxHeader.read(bytes, at: place) {
        case .needsMore(let count):
            return isAtEnd ? try leaveAtEndOfFile() : .progress(.needsMore(count))
        case .invalid(let size):
            guard walker.parent != nil || isPlaying else {
                throw .invalidFile("MPEG-4 box at byte \(position) claims \(size) bytes")
            }
            if walker.parent == nil { return .stopped(.end) }
            walker.skipToEndOfLevel()
            return .progress(.took(0))
        case .header(let header):
            return try open(header, bytes, at: place, position, isAtEnd: isAtEnd, options)
        }
    }

    /// Goes towards a packet while packets are played. Reads the header of a box on the way, so that the walk can
    /// continue after that box.
    mutating func pass(
        towards target: Int64, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool
    ) -> MovieProgress {
        guard movie.isFragmented, walker.next >= position, walker.next <= target else { return .goTo(target) }
        guard walker.next == position else { return .goTo(walker.next) }
        switch BoxHeader.read(bytes, at: place) {
        case .needsMore(let count): return isAtEnd ? .goTo(target) : .needsMore(count)
        case .invalid: walker.skipToEndOfLevel()
        case .header(let header):
            // A fragment is read once the packets before it were played; a pure stream loses it.
            if header.type == .moof, fileByteCount != nil { return .goTo(target) }
            walker.skip(header, at: position)
        }
        return .took(0)
    }

    /// Leaves the innermost open box at the end of the file as if it were complete: a truncated `moov` may have its
    /// tables.
    private mutating func leaveAtEndOfFile() throws(AudioStreamError) -> Outcome {
        guard let level = walker.leaveAtEndOfFile() else { return .stopped(.end) }
        return try leave(level)
    }

    private mutating func leave(_ level: BoxWalker.Level) throws(AudioStreamError) -> Outcome {
        switch level.type {
        case .trak:
            try track.table.dropEmptySamples()
            movie.add(track)
            track = MovieTrack()
        case .moov:
            try endMovie()
            return .stopped(.movie)
        case .moof: return .stopped(.fragment)
        default: break
        }
        return .progress(.took(0))
    }

    private mutating func endMovie() throws(AudioStreamError) {
        movieEnd = walker.next
        guard let track = movie.track else { throw .unsupportedDataFormat("an MPEG-4 file without sound") }
        guard track.entry == nil else { return }
        throw track.failure
            ?? .invalidFile("MPEG-4 sound track at byte \(track.byteOffset) has no description of its codec")
    }

    // MARK: Opening a box

    private mutating func open(
        _ header: BoxHeader, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool, _ options: Options
    ) throws(AudioStreamError) -> Outcome {
        let hasMovie = movieEnd != nil
        switch (walker.parent, header.type) {
        case (nil, .moov) where !hasMovie:
            walker.enter(header, at: position)
        case (nil, .moof) where hasMovie:
            if options.stopsBeforeFragment { return .stopped(.beforeFragment) }
            walker.enter(header, at: position)
            fragment.restart(at: position)
        case (nil, .mdat):
            let isEmpty = header.boxByteCount == Int64(header.byteCount)
            guard hasMovie || isEmpty || fileByteCount != nil else { throw .notOptimized }
            walker.skip(header, at: position)
        case (nil, .sidx) where hasMovie && options.collectsSegmentIndex:
            try collect(header, at: position)
        case (nil, _):
            walker.skip(header, at: position)
        case (.moov, .mvex):
            movie.isFragmented = true
            walker.enter(header, at: position)
        case (.moov, .trak):
            track = MovieTrack(byteOffset: position)
            // No later track can be better.
            if movie.track?.rank == MovieTrack.bestRank {
                walker.skip(header, at: position)
            } else {
                walker.enter(header, at: position)
            }
        case (.mdia, .minf) where track.isAudio == false:
            walker.skip(header, at: position)
        case (.moov, .udta), (.trak, .edts), (.trak, .mdia), (.mdia, .minf), (.minf, .stbl), (.meta, .ilst),
            (.moof, .traf):
            walker.enter(header, at: position)
        case (.moov, .meta), (.udta, .meta):
            return .progress(openMeta(header, bytes, at: place, position, isAtEnd: isAtEnd))
        default:
            try collect(header, at: position)
        }
        return .progress(.took(0))
    }

    /// Opens `meta`. QuickTime's has no version and flags: a box follows at once.
    private mutating func openMeta(
        _ header: BoxHeader, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool
    ) -> MovieProgress {
        let needed = header.byteCount + BoxHeader.smallestByteCount
        guard bytes.byteCount - place >= needed else {
            if !isAtEnd { return .needsMore(needed) }
            walker.skip(header, at: position)
            return .took(0)
        }
        let isPlain = bytes.has("hdlr", at: place + header.byteCount + 4)
        walker.enter(header, at: position, skipping: isPlain ? 0 : 4)
        return .took(0)
    }

    /// Collects the box's body if it is useful and not too large.
    private mutating func collect(_ header: BoxHeader, at position: Int64) throws(AudioStreamError) {
        let byteCount = walker.end(of: header, at: position) - position
        if byteCount <= Int64(try limit(of: header.type, byteCount: byteCount)) {
            walker.collect(header, at: position)
        } else {
            walker.skip(header, at: position)
        }
    }

    /// Returns the body size to collect; 0 for a box that is of no use here.
    private func limit(of type: BoxType, byteCount: Int64) throws(AudioStreamError) -> Int {
        switch (walker.parent, type) {
        case (.stbl, .stsz), (.stbl, .stz2), (.stbl, .stsc), (.stbl, .stco), (.stbl, .co64), (.stbl, .stts),
            (.traf, .trun):
            let held = track.table.byteCount + (movie.track?.table.byteCount ?? 0) + fragment.entryByteCount
            guard byteCount <= Int64(AudioFileStreamLimits.sampleTableByteCount - held) else {
                throw .largeSampleTable
            }
            return AudioFileStreamLimits.sampleTableByteCount
        case (.moov, .mvhd), (.mvex, .mehd), (.mvex, .trex), (.trak, .tkhd), (.edts, .elst), (.mdia, .mdhd),
            (.mdia, .hdlr), (.stbl, .stsd), (.traf, .tfhd), (.meta, .keys), (nil, .sidx):
            return AudioFileStreamLimits.descriptionByteCount
        case (.ilst, BoxType("covr")):
            return hasArtwork ? 0 : Limits.artworkByteCount + AudioFileStreamLimits.tagTextByteCount
        case (.ilst, .lyrics): return hasLyrics ? 0 : Limits.lyricsByteCount + AudioFileStreamLimits.tagTextByteCount
        case (.ilst, _): return 2 * AudioFileStreamLimits.tagTextByteCount
        case (.udta, _): return MovieTags.isText(type) ? AudioFileStreamLimits.tagTextByteCount : 0
        default: return 0
        }
    }

    // MARK: Taking what it says

    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ type: BoxType, _ body: [UInt8], at offset: Int64, into sink: inout Sink
    ) {
        switch walker.parent {
        case .moov, .mvex: movie.take(type, body)
        case .trak, .edts, .mdia, .stbl: track.take(type, body, at: offset)
        case .meta: tags.takeKeys(body)
        case .ilst: give(tags.item(type, body), into: &sink)
        case .udta: give(MovieTags.text(type, body), into: &sink)
        case .traf where type == .tfhd:
            fragment.begin(body, track: movie.track?.id ?? 0, defaults: movie.defaults)
        case .traf: fragment.add(body)
        default: break
        }
    }

    private mutating func give<Sink: AudioStreamSink & ~Copyable>(_ found: [MovieTags.Found], into sink: inout Sink) {
        for item in found {
            switch item {
            case .field(let key, let text): info.give([(key, text)], into: &sink)
            case .artwork(let picture):
                hasArtwork = true
                sink.streamDidParse(property: .artwork(picture))
            case .lyrics(let text):
                hasLyrics = true
                sink.streamDidParse(lyrics: .text(text))
            case .gapless(let tag): gaplessTag = gaplessTag ?? tag
            }
        }
    }
}
