import AudioCore

// A file of MPEG audio, AAC ADTS, AC-3 or AMR is an elementary stream: frames one after the other, with tags before and
// after and, in damaged files, junk in between. The parser stands at one place and decides what begins there:
//
//   in sync     a frame, if a header that belongs to the stream stands here; otherwise as when searching
//   searching   a tag, or a candidate that ``FrameSync`` accepts as a frame; otherwise a byte of junk: sync is lost
//
// It decides only with enough bytes in the window that the decision does not depend on how the file was cut. The first
// candidate that is believed determines the kind of frames; for AMR, the line at the start of the file does.

/// The parser of elementary streams.
struct ElementaryStreamParser: ContainerParser {
    private var tail: TrailingTags?
    /// Offset in the file where the frames end and the tags at the end begin, if known.
    private(set) var audioEnd: Int64?
    private(set) var sync: FrameSync
    private(set) var isInSync: Bool
    /// A frame, a tag or the file's start precedes: an ID3v1 tag may stand here.
    private(set) var isAtBoundary = true
    private var junkByteCount = 0
    private var junk = SkippedBytes()
    /// Bytes before the first frame that are skipped.
    private var prefixByteCount: Int
    private var tags: TagScanner
    private var group = PacketGroup()
    /// Nil until the first frame is taken.
    var facts: (any ElementaryStreamFacts)?
    private(set) var seekIndex = ElementaryStreamSeekIndex()
    private var isOpen = false
    private var hasEnded = false
    /// The last seek was exact: a frame must stand here.
    private var expectsFrame = false
    /// Bytes up to the next frame are the rest of one cut by a gap or an estimated seek, not damage.
    private var isResynchronising = false

    /// - Parameters:
    ///   - info: the contents of leading tags, already read.
    ///   - isEnclosed: the stream lies in another container: no tags follow it.
    init(kinds: FrameKinds, info: InfoCollector = InfoCollector(), isEnclosed: Bool = false, access: ByteAccess) {
        tags = TagScanner(info: info)
        tail = isEnclosed ? nil : access.fileByteCount.map { TrailingTags(fileByteCount: $0) }
        sync = FrameSync(kinds: kinds)
        isInSync = false
        prefixByteCount = 0
    }

    /// Parses AMR from the end of its first line.
    init(amrIsWideband isWideband: Bool, magicByteCount: Int, access: ByteAccess) {
        tags = TagScanner(info: InfoCollector())
        // AMR has no tags.
        tail = nil
        audioEnd = access.fileByteCount
        sync = FrameSync(reference: .amr(AMRHeader(isWideband: isWideband)), kinds: [])
        isInSync = true
        prefixByteCount = magicByteCount
    }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        if let progress = tail?.read(bytes, at: offset, isLast: isLast) { return progress }
        if let tail { audioEnd = tail.start }
        // Known tags at the end are not part of the stream.
        let rest = max(0, (audioEnd ?? .max) &- offset)
        let stream = bytes.extracting(0..<Int(min(rest, Int64(bytes.byteCount))))
        let progress = try consumeStream(
            stream, at: offset, isLast: isLast || rest <= Int64(bytes.byteCount), into: &sink)
        return stream.byteCount < bytes.byteCount ? Progress(consumed: bytes.byteCount, needed: 1) : progress
    }

    private mutating func consumeStream<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        var place = min(prefixByteCount, bytes.byteCount)
        prefixByteCount -= place
        var needed = 1
        while place < bytes.byteCount {
            if tags.isInside {
                isAtBoundary = true
                place += tags.pass(bytes, from: place, into: &sink)
                continue
            }
            let finding =
                isInSync
                ? nextInSync(bytes, at: place, isLast: isLast) : search(bytes, at: place, isLast: isLast)
            if case .needsMore(let byteCount) = finding {
                needed = byteCount
                break
            }
            place += try take(finding, bytes, at: place, fileOffset: offset &+ Int64(place), into: &sink)
        }
        group.flush(window: bytes, into: &sink)
        return Progress(consumed: place, needed: needed)
    }

    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard isOpen, let facts else {
            throw sync.reference == nil && junkByteCount > 0 ? .unsupportedFileType : .dataUnavailable
        }
        seekIndex.end()
        junk.end(into: &sink)
        for property in facts.finalProperties(seekIndex) {
            if case .problem = property, hasEnded { continue }
            sink.streamDidParse(property: property)
        }
        hasEnded = true
    }

    mutating func skipGap() throws(AudioStreamError) {
        guard sync.reference != nil else { throw .discontinuityCannotRecover }
        isInSync = false
        isAtBoundary = false
        expectsFrame = false
        isResynchronising = true
        junk.removeAll()
        tags.abandon()
        seekIndex.markInexact()
    }

    /// Continues after ``skipGap()``: the next window begins where the seek went.
    mutating func land(at place: AudioFileStreamSeek) {
        seekIndex.resume(at: place)
        isInSync = !place.isEstimate
        expectsFrame = !place.isEstimate
        isResynchronising = place.isEstimate
    }

    // MARK: Taking findings

    /// Takes what stands here; returns the number of bytes.
    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ finding: ElementaryStreamFinding, _ bytes: RawSpan, at place: Int, fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) -> Int {
        switch finding {
        case .junk, .needsMore: break
        default:
            if !junk.isEmpty { group.flush(window: bytes, into: &sink) }
            junk.end(into: &sink)
        }
        switch finding {
        case .frame(let header, let byteCount):
            try takeFrame(header, byteCount, bytes, at: place, fileOffset: fileOffset, into: &sink)
            isAtBoundary = true
            expectsFrame = false
            isResynchronising = false
            return byteCount
        case .sync(let header, let freeFormatByteCount):
            sync.reference = header
            sync.freeFormatByteCount = freeFormatByteCount
            isInSync = true
            return 0
        case .tag(let tag):
            group.flush(window: bytes, into: &sink)
            tags.begin(tag, into: &sink)
            return 0
        case .junk(let byteCount):
            try countJunk(byteCount, fileOffset)
            return byteCount
        case .cutFrame(let byteCount, let missing):
            isInSync = false
            isAtBoundary = false
            group.flush(window: bytes, into: &sink)
            let end = fileOffset &+ Int64(byteCount)
            sink.streamDidParse(property: .problem(.init(.truncated(missingByteCount: Int64(missing)), at: end)))
            return byteCount
        case .needsMore:
            return 0
        }
    }

    private mutating func countJunk(_ byteCount: Int, _ fileOffset: Int64) throws(AudioStreamError) {
        if !isResynchronising { junk.add(byteCount, at: fileOffset) }
        isInSync = false
        isAtBoundary = false
        if expectsFrame { seekIndex.markInexact() }
        junkByteCount &+= byteCount
        guard sync.reference != nil || junkByteCount <= AudioFileStreamLimits.junkByteCount else {
            throw .unsupportedFileType
        }
    }

    private mutating func takeFrame<Sink: AudioStreamSink & ~Copyable>(
        _ header: FrameHeader, _ byteCount: Int, _ bytes: RawSpan, at place: Int, fileOffset: Int64,
        into sink: inout Sink
    ) throws(AudioStreamError) {
        if !isOpen, facts?.isAudio(header, offset: fileOffset, byteCount: byteCount, in: bytes, at: place) == false {
            return
        }
        if !isOpen, let findings = tail?.takeFindings() { tags.give(findings, into: &sink) }
        isOpen = true
        let properties =
            try facts?.properties(before: header, offset: fileOffset, in: bytes, at: place, seekIndex) ?? []
        if !properties.isEmpty {
            group.flush(window: bytes, into: &sink)
            for property in properties {
                // What a tag says is better known, in front or, with random access, at the end.
                if case .info(let key, let text) = property {
                    tags.give([.text(key, text)], into: &sink)
                } else {
                    sink.streamDidParse(property: property)
                }
            }
        }
        seekIndex.pass(header, offset: fileOffset, byteCount: byteCount)
        guard case .adts(let adts) = header else {
            group.add(
                at: place, byteCount: byteCount, frameCount: header.framesPerPacket, window: bytes, into: &sink)
            return
        }
        for index in 0..<adts.blockCount {
            guard let block = adts.block(index, in: bytes, frameAt: place) else { continue }
            group.add(
                at: block.lowerBound, byteCount: block.count, frameCount: header.framesPerPacket, window: bytes,
                into: &sink)
        }
    }
}
