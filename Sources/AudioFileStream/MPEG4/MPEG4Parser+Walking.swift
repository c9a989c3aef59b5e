import AudioCore

extension MPEG4Parser {
    /// One step from box to box.
    /// - Parameter position: of `place` in the file.
    mutating func walk<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Step {
        if walker.next != position {
            guard walker.next > position || fileByteCount != nil else {
                mood = .done
                return .took(0)
            }
            if isAtEnd, walker.next > position &+ Int64(bytes.byteCount - place) {
                return try endWalk(bytes, into: &sink)
            }
            // To the end there is nothing to go for, and `finish` would be too late to go back.
            if let fileByteCount, walker.next >= fileByteCount { return try endWalk(bytes, into: &sink) }
            return .goTo(walker.next)
        }
        if walker.collection != nil {
            let count = walker.gather(bytes, at: place, position: position)
            if let box = walker.takeWhole() {
                try take(box.type, walker.body, at: box.start, into: &sink)
                walker.dropBody()
                return .took(count)
            }
            if count > 0 { return .took(count) }
            return try isAtEnd ? endWalk(bytes, into: &sink) : .needsMore(1)
        }
        if let level = walker.leave(at: position) {
            try leave(level)
            return .took(0)
        }
        if let level = walker.levels.last, level.end - position < Int64(BoxHeader.smallestByteCount) {
            walker.skipToEndOfLevel()
            return .took(0)
        }
        switch BoxHeader.read(bytes, at: place) {
        case .needsMore(let count):
            return try isAtEnd ? endWalk(bytes, into: &sink) : .needsMore(count)
        case .invalid(let size):
            guard walker.parent != nil || stream.isReady else {
                throw .invalidFile("MPEG-4 box at byte \(position) claims \(size) bytes")
            }
            if walker.parent == nil { return endMedia(bytes, into: &sink) }
            walker.skipToEndOfLevel()
            return .took(0)
        case .header(let header):
            return try open(header, bytes, at: place, position, isAtEnd: isAtEnd)
        }
    }

    /// The file ends within a box: what is open is taken for whole. The tables in a `moov` cut short may be there.
    private mutating func endWalk<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, into sink: inout Sink
    ) throws(AudioStreamError) -> Step {
        guard let level = walker.leaveAtEndOfFile() else { return endMedia(bytes, into: &sink) }
        try leave(level)
        return .took(0)
    }

    // MARK: Opening a box

    private mutating func open(
        _ header: BoxHeader, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool
    ) throws(AudioStreamError) -> Step {
        switch (walker.parent, header.type) {
        case (nil, .moov) where !hasMovie:
            walker.enter(header, at: position)
        case (nil, .moof) where entry != nil:
            guard !seekIndex(before: position) else { break }
            walker.enter(header, at: position)
            fragment.restart(at: position)
        case (nil, .mdat):
            let isEmpty = header.boxByteCount == Int64(header.byteCount)
            guard entry != nil || isEmpty || fileByteCount != nil else { throw .notOptimized }
            walker.skip(header, at: position)
        case (nil, .sidx) where entry != nil && announced == nil:
            try collect(header, at: position)
        case (nil, _):
            walker.skip(header, at: position)
        case (.moov, .mvex):
            movie.isFragmented = true
            walker.enter(header, at: position)
        case (.moov, .trak):
            track = MovieTrack(byteOffset: position)
            // Nothing better can come.
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
            return openMeta(header, bytes, at: place, position, isAtEnd: isAtEnd)
        default:
            try collect(header, at: position)
        }
        return .took(0)
    }

    /// QuickTime's `meta` has no version and flags: a box follows at once.
    private mutating func openMeta(
        _ header: BoxHeader, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool
    ) -> Step {
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

    /// Gathers the box's body if it is of use, and not too large.
    private mutating func collect(_ header: BoxHeader, at position: Int64) throws(AudioStreamError) {
        let byteCount = walker.end(of: header, at: position) - position
        let limit: Int
        switch (walker.parent, header.type) {
        case (.stbl, .stsz), (.stbl, .stz2), (.stbl, .stsc), (.stbl, .stco), (.stbl, .co64), (.stbl, .stts),
            (.traf, .trun):
            let held = track.table.byteCount + (movie.track?.table.byteCount ?? 0) + fragment.entryByteCount
            guard byteCount <= Int64(AudioFileStreamLimits.sampleTableByteCount - held) else {
                throw .largeSampleTable
            }
            limit = AudioFileStreamLimits.sampleTableByteCount
        case (.moov, .mvhd), (.mvex, .mehd), (.mvex, .trex), (.trak, .tkhd), (.edts, .elst), (.mdia, .mdhd),
            (.mdia, .hdlr), (.stbl, .stsd), (.traf, .tfhd), (.meta, .keys), (nil, .sidx):
            limit = AudioFileStreamLimits.descriptionByteCount
        case (.ilst, BoxType("covr")):
            limit = hasArtwork ? 0 : Limits.artworkByteCount + AudioFileStreamLimits.tagTextByteCount
        case (.ilst, _):
            limit = 2 * AudioFileStreamLimits.tagTextByteCount
        case (.udta, _):
            limit = MovieTags.isText(header.type) ? AudioFileStreamLimits.tagTextByteCount : 0
        default:
            limit = 0
        }
        if byteCount <= Int64(limit) {
            walker.collect(header, at: position)
        } else {
            walker.skip(header, at: position)
        }
    }

    // MARK: Taking what it says

    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ type: BoxType, _ body: [UInt8], at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        switch walker.parent {
        case .moov, .mvex: movie.take(type, body)
        case .trak, .edts, .mdia, .stbl: track.take(type, body, at: offset)
        case .meta: tags.takeKeys(body)
        case .ilst: give(tags.item(type, body), into: &sink)
        case .udta: give(MovieTags.text(type, body), into: &sink)
        case .traf where type == .tfhd:
            fragment.begin(body, track: movie.track?.id ?? 0, defaults: movie.defaults)
        case .traf: fragment.add(body)
        case nil: takeIndex(body, end: offset &+ Int64(body.count))
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
            case .gapless(let tag): gaplessTag = gaplessTag ?? tag
            }
        }
    }

    private mutating func leave(_ level: BoxWalker.Level) throws(AudioStreamError) {
        switch level.type {
        case .trak:
            try track.table.dropEmptySamples()
            movie.add(track)
            track = MovieTrack()
        case .moov: try openMovie()
        case .moof: openFragment()
        default: return
        }
    }

    /// All of `moov` is known: plays what it describes, or looks for fragments.
    private mutating func openMovie() throws(AudioStreamError) {
        hasMovie = true
        movieEnd = walker.next
        guard let track = movie.track else { throw .unsupportedDataFormat("an MPEG-4 file without sound") }
        guard let entry = track.entry else {
            throw track.failure
                ?? .invalidFile("MPEG-4 sound track at byte \(track.byteOffset) has no description of its codec")
        }
        self.entry = entry
        stream.begin(movie, track, entry, gaplessTag)
        guard !track.table.isEmpty else { return }
        guard fileByteCount != nil || track.table.isAscending(from: movieEnd) else { throw .notOptimized }
        tableCursor = SampleTableCursor(track.table, blocks: entry.blocks)
        mood = .playing
    }

    private mutating func openFragment() {
        guard let entry, !fragment.isEmpty else { return }
        if !isAstray {
            // Of an edited song in the media.
            let media = stream.streamedSong?.place
            fragments.note(
                FragmentIndex.Entry(
                    packet: media?.packet ?? stream.nextPacket, byteOffset: fragment.offset,
                    frame: media?.frame ?? stream.nextFrame, time: media?.time ?? 0))
        }
        fragment.blocks = entry.blocks
        mood = .playing
    }
}
