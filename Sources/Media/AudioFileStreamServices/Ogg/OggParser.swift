import AudioCore

// An Ogg file is a sequence of pages of several logical streams (RFC 3533). The first stream of a known codec is
// played; the others are skipped. A stream that begins after it (a chain) continues the song if one decoder can play
// both. The inaudible part of a link is left out; at its end only if the next link's first page follows at once: pages
// in between prevent the cut, and a problem reports that. A stream that needs another decoder ends the song at its
// first page with audio; it is a song of its own, whose parser takes over what is known of its headers.
//
//   following   after another song: the contents of the headers are reported
//   beginning   the first pages of the streams, until one of a known codec is found: those before it are skipped
//   headers     the stream's header packets
//   tail        with random access: the file's end, for the last granule position, then back to the first audio
//   opening     the next page of the stream is the first with audio: its granule position is the start of the stream
//   audio
//   ended       nothing more is played: what follows belongs to the next song
//
// A link without audio leaves no trace but its tags: the next one takes its place.

/// The parser of Ogg files with Vorbis, Opus or FLAC.
struct OggParser: ContainerParser {
    enum State { case following, beginning, headers, tail, opening, audio, ended }

    let access: ByteAccess
    var state = State.beginning
    private var search = OggPageSearch()
    private var skipped = SkippedBytes()
    /// The streams that last began together.
    var group = OggGroup(byteOffset: 0)
    /// The streams skipped before one with a known codec began.
    private var passed = OggGroup(byteOffset: 0)
    /// The stream whose headers are being read, or one that may follow in a chain.
    var link: OggLink?
    /// The stream that becomes the next song.
    var next: OggLink?
    /// Songs of the chain before this one.
    var songsBefore = 0
    /// Serial numbers of the streams that are played.
    var serials: Set<UInt32> = []
    /// Those of them that were reused: pages with such a number no longer belong to the song.
    var endedSerials: Set<UInt32> = []
    var tail: OggTail?
    var tailSearchBudget = OggTailSearchBudget()
    var audio: OggAudio?
    /// Properties already reported, so that none is reported twice.
    var facts = OggFacts()
    /// Bytes up to the next page are the rest of one cut by a seek, not damage.
    private var isResynchronising = false

    /// The most serial numbers that one song's streams may have; a link with a further one begins another song.
    static let largestLinkCount = 64

    init(access: ByteAccess) { self.access = access }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        switch state {
        case .tail: return lookAtTail(bytes, at: offset)
        case .ended: return Progress(consumed: bytes.byteCount, needed: 1)
        case .following: beginFollowing(into: &sink)
        default: break
        }
        // With random access the file's end is known, but what is found there may lead back.
        var isLast = isLast
        if case .file(let byteCount) = access, offset &+ Int64(bytes.byteCount) >= byteCount { isLast = true }
        var place = 0
        var needed = 1
        loop: while place < bytes.byteCount {
            if !isLast, let byteCount = OggPage.byteCountWithFollower(bytes, at: place) {
                needed = byteCount
                break
            }
            switch search.next(bytes, at: place, isLast: isLast) {
            case .junk(let byteCount):
                if !isResynchronising { skipped.add(byteCount, at: offset &+ Int64(place)) }
                place += byteCount
            case .needsMore(let byteCount):
                needed = byteCount
                break loop
            case .page(let page):
                if !skipped.isEmpty { audio?.flush(bytes, into: &sink) }
                skipped.end(into: &sink)
                isResynchronising = false
                do throws(AudioStreamError) {
                    try take(page, bytes, at: offset, into: &sink)
                } catch {
                    // Deliver what was complete before the error, however the bytes were cut.
                    audio?.flush(bytes, into: &sink)
                    throw error
                }
                if state == .tail, let tail {
                    return Progress(consumed: place, needed: 1, jump: tail.start)
                }
                if next != nil { return Progress(consumed: place, needed: 1, isOver: true) }
                place += page.byteCount
            }
        }
        audio?.flush(bytes, into: &sink)
        return Progress(consumed: place, needed: needed)
    }

    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard let audio, audio.packetCount > 0 else {
            guard audio == nil, link == nil, !passed.names.isEmpty else { throw .dataUnavailable }
            throw passed.foreignError
        }
        if search.isCut, !skipped.isEmpty {
            let end = skipped.end ?? 0
            sink.streamDidParse(property: .problem(.init(.truncated(missingByteCount: nil), at: end)))
        } else {
            skipped.end(into: &sink)
        }
        for property in facts.final(audio) { sink.streamDidParse(property: property) }
    }

    mutating func skipGap() throws(AudioStreamError) {
        guard audio != nil else { throw .discontinuityCannotRecover }
        land()
        audio?.skipGap()
    }

    /// Forgets what lies around the old place: the next bytes come from elsewhere in the file.
    mutating func land() {
        isResynchronising = true
        skipped.removeAll()
        group.close()
        (link, next) = (nil, nil)
        endedSerials = []
        search = OggPageSearch()
    }

    private mutating func lookAtTail(_ bytes: RawSpan, at offset: Int64) -> Progress {
        guard var tail = tail.take() else { return Progress(consumed: bytes.byteCount, needed: 1) }
        let (progress, isDone) = tail.consume(bytes, at: offset)
        self.tail = tail
        if isDone {
            tailSearchBudget.note(tail)
            state = .opening
        }
        return progress
    }

    // MARK: Pages

    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        let fileOffset = offset &+ Int64(page.start)
        if !page.isFirst, group.close() { reportForeignStreams(bytes, into: &sink) }
        switch state {
        case .beginning: try begin(page, bytes, at: fileOffset, into: &sink)
        case .headers:
            if page.isFirst {
                try startOver(page, bytes, at: fileOffset, into: &sink)
            } else if page.serial == link?.serial {
                try takeHeaders(page, bytes, at: fileOffset, into: &sink)
            }
        case .opening, .audio:
            if page.isFirst {
                beginLink(page, bytes, at: fileOffset)
            } else if page.serial == link?.serial {
                try takeLink(page, bytes, at: offset, into: &sink)
            } else if serials.contains(page.serial), !endedSerials.contains(page.serial) {
                try takeSong(page, bytes, at: offset, into: &sink)
            }
        case .following, .tail, .ended: break
        }
    }

    private mutating func begin<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard page.isFirst else {
            guard passed.names.isEmpty else { return }
            throw .invalidFile("the Ogg page at byte \(fileOffset) belongs to a stream that did not begin")
        }
        var lacing = page.lacing
        guard let part = lacing.next(bytes) else { return }
        if !group.isOpen || group.names.isEmpty { group = OggGroup(byteOffset: fileOffset) }
        let packet = bytes.extracting(part.range)
        let codec: OggCodec?
        do throws(AudioStreamError) { codec = try group.take(packet) } catch { throw error.at(fileOffset) }
        guard let codec else { return passed.add(group) }
        sink.streamDidParse(property: .fileFormat(.ogg))
        sink.streamDidParse(property: .dataFormat(codec.format))
        let link = OggLink(serial: page.serial, headers: OggHeaders(codec, first: packet), byteOffset: fileOffset)
        state = .headers
        self.link = link
        if link.headers.isDone { beginAudio(link) }
    }

    /// Starts over: other streams begin before all headers came, so the missing ones never will.
    private mutating func startOver<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        var other = OggGroup(byteOffset: fileOffset)
        var lacing = page.lacing
        guard !group.isOpen, let part = lacing.next(bytes), (try? other.take(bytes.extracting(part.range))) != nil
        else { return }
        group = OggGroup(byteOffset: fileOffset)
        link = nil
        facts = OggFacts()
        try begin(page, bytes, at: fileOffset, into: &sink)
    }

    private mutating func takeHeaders<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard var link = link.take() else { return }
        // FLAC whose last header is not marked as the last: the audio has begun.
        if link.headers.isFollowedByAudio(page, bytes) {
            beginAudio(link)
            return try takeSong(page, bytes, at: fileOffset &- Int64(page.start), into: &sink)
        }
        try link.take(page, bytes, at: fileOffset)
        facts.giveTags(of: &link, into: &sink)
        self.link = link
        if link.headers.isDone { beginAudio(link) }
    }
}
