import AudioCore

// An Ogg file is a row of pages of several logical streams (RFC 3533). The first stream of a codec that is known is
// played, the others are passed over. A stream that begins after it (a chain) goes on with the song if one decoder can
// play both; otherwise the song ends there, and a problem says so. What of a link is not heard is left out, at its end if
// the next one's first page follows at once: what lies between them costs the cut, and a problem says so.
//
//   beginning   the streams' first pages, until one of a known codec is found
//   headers     the stream's header packets
//   tail        where all of the file is at hand: its end, for the last granule, then back to the first audio
//   opening     the next page of the stream is the first with audio: its granule tells where the stream starts
//   audio
//   ended       nothing more is played

/// The parser of Ogg files with Vorbis, Opus or FLAC.
struct OggParser: ContainerParser {
    enum State { case beginning, headers, tail, opening, audio, ended }

    /// A stream's header packets, under way.
    struct Link {
        var serial: UInt32
        var headers: OggHeaders
        /// Where it begins.
        var byteOffset: Int64
    }

    let access: ByteAccess
    var state = State.beginning
    private var search = OggPageSearch()
    private var skipped = SkippedBytes()
    /// What streams are in the file that are not played.
    private var foreignNames: [String] = []
    /// The stream whose headers are being read, or one that may follow in a chain.
    var link: Link?
    /// Of the streams that are played.
    var serials: Set<UInt32> = []
    var tail: OggTail?
    var audio: OggAudio?
    /// Properties that were told, so that none is told twice.
    var facts = OggFacts()
    /// Bytes up to the next page are what a seek cut: no damage.
    private var isLanding = false

    private static let largestLinkCount = 64

    init(access: ByteAccess) { self.access = access }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        if state == .tail { return lookAtTail(bytes, at: offset) }
        // Where all of the file is at hand its end is known, and what begins there may yet lead back.
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
                if !isLanding { skipped.add(byteCount, at: offset &+ Int64(place)) }
                place += byteCount
            case .needsMore(let byteCount):
                needed = byteCount
                break loop
            case .page(let page):
                if !skipped.isEmpty { audio?.flush(bytes, into: &sink) }
                skipped.end(into: &sink)
                isLanding = false
                do throws(AudioStreamError) {
                    try take(page, bytes, at: offset, into: &sink)
                } catch {
                    // What was whole before the error is given, however the bytes were cut.
                    audio?.flush(bytes, into: &sink)
                    throw error
                }
                if state == .tail, let tail {
                    return Progress(consumed: place, needed: 1, jump: tail.start)
                }
                place += page.byteCount
            }
        }
        audio?.flush(bytes, into: &sink)
        return Progress(consumed: place, needed: needed)
    }

    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard let audio, audio.packetCount > 0 else {
            guard audio == nil, link == nil, !foreignNames.isEmpty else { throw .dataUnavailable }
            throw foreignError
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

    mutating func land() {
        isLanding = true
        skipped.removeAll()
        link = nil
        search = OggPageSearch()
    }

    private mutating func lookAtTail(_ bytes: RawSpan, at offset: Int64) -> Progress {
        guard var tail = tail.take() else { return Progress(consumed: bytes.byteCount, needed: 1) }
        let (progress, isDone) = tail.consume(bytes, at: offset)
        self.tail = tail
        if isDone { state = .opening }
        return progress
    }

    // MARK: Pages

    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        let fileOffset = offset &+ Int64(page.start)
        switch state {
        case .beginning: try begin(page, bytes, at: fileOffset, into: &sink)
        case .headers:
            guard page.serial == link?.serial, !page.isFirst else { return }
            try takeHeaders(page, bytes, at: fileOffset, into: &sink)
        case .opening:
            guard serials.contains(page.serial), !page.isFirst else { return }
            try open(page, bytes, at: offset, into: &sink)
        case .audio:
            if page.isFirst {
                beginLink(page, bytes, at: fileOffset)
            } else if page.serial == link?.serial {
                try takeHeaders(page, bytes, at: fileOffset, into: &sink)
            } else if serials.contains(page.serial) {
                try takeAudio(page, bytes, at: offset, into: &sink)
            }
        case .tail, .ended: break
        }
    }

    private mutating func begin<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard page.isFirst else {
            guard foreignNames.isEmpty else { throw foreignError }
            throw .invalidFile("the Ogg page at byte \(fileOffset) belongs to a stream that did not begin")
        }
        var lacing = page.lacing
        guard let part = lacing.next(bytes) else { return }
        let packet = bytes.extracting(part.range)
        let verdict: OggCodec.Verdict
        do throws(AudioStreamError) { verdict = try OggCodec.identify(packet) } catch { throw error.at(fileOffset) }
        switch verdict {
        case .codec(let codec):
            sink.streamDidParse(property: .fileFormat(.ogg))
            sink.streamDidParse(property: .dataFormat(codec.format))
            let link = Link(serial: page.serial, headers: OggHeaders(codec, first: packet), byteOffset: fileOffset)
            state = .headers
            self.link = link
            if link.headers.isDone { beginAudio(link) }
        case .foreign(let name) where foreignNames.count < 8: foreignNames.append(name)
        case .unknown where foreignNames.count < 8: foreignNames.append("an unknown codec")
        default: break
        }
    }

    private var foreignError: AudioStreamError {
        .unsupportedDataFormat("Ogg with \(foreignNames.joined(separator: " and "))")
    }

    /// A stream begins behind or beside the one that is played.
    private mutating func beginLink(_ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64) {
        var lacing = page.lacing
        guard let part = lacing.next(bytes) else { return }
        let packet = bytes.extracting(part.range)
        guard case .codec(let codec)? = try? OggCodec.identify(packet) else { return }
        link = Link(serial: page.serial, headers: OggHeaders(codec, first: packet), byteOffset: fileOffset)
    }

    private mutating func takeHeaders<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard var link = link.take() else { return }
        var lacing = page.lacing
        // FLAC whose last header is not marked as such: the audio was begun.
        if state == .headers, link.headers.isFollowedByAudio(page, bytes) {
            beginAudio(link)
            return try open(page, bytes, at: fileOffset &- Int64(page.start), into: &sink)
        }
        while !link.headers.isDone, let part = lacing.next(bytes) {
            try link.headers.take(bytes.extracting(part.range), isEnd: part.isEnd, at: fileOffset)
        }
        // Of a chain the first song's tags count.
        if state == .headers { facts.giveTags(&link.headers, into: &sink) }
        guard link.headers.isDone else {
            self.link = link
            return
        }
        if state == .headers {
            beginAudio(link)
        } else if audio?.canBeFollowed(by: link.headers) == true,
            serials.count < Self.largestLinkCount || serials.contains(link.serial)
        {
            audio?.beginLink(link.headers, at: link.byteOffset, bytes, into: &sink)
            for property in facts.beginLink(audio, at: link.byteOffset) { sink.streamDidParse(property: property) }
            serials.insert(link.serial)
        } else {
            audio?.flush(bytes, into: &sink)
            let text = "a further Ogg stream of another format, which is not played,"
            sink.streamDidParse(property: .problem(AudioStreamProblem(.damaged(text), at: fileOffset)))
            state = .ended
        }
    }
}
