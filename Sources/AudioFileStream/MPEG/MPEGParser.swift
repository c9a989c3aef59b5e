import AudioCore

// A file of MPEG audio is a row of MPEG frames (here: packets), with tags before and behind and, in files that were
// hurt, junk between. The parser stands at one place and asks what begins there:
//
//   in sync     a packet, if a header that belongs to the stream stands here; else a tag; else sync is lost
//   searching   a tag, or a candidate that ``MPEGSync`` takes for a packet; else a byte of junk
//
// It goes on to the next place only when what stands here was decided with the same bytes in sight however the file
// was cut.

/// The parser of MPEG-1, 2 and 2.5 audio, layers I to III.
final class MPEGParser: ContainerParser {
    /// What stands at a place.
    private enum Finding {
        case packet(MPEGFrameHeader, byteCount: Int)
        case tag(byteCount: Int, [(AudioInfoKey, String)])
        case id3v2(ID3v2Reader)
        case sync(MPEGFrameHeader, freeFormatByteCount: Int)
        case junk(Int)
        /// A last packet that the file's end cuts.
        case cutPacket(byteCount: Int, missing: Int)
        case needsMore(Int)
    }

    private let typeHint: AudioFileType?
    private var sync = MPEGSync(reference: nil, freeFormatByteCount: 0)
    private var isInSync = false
    /// What stood before was a packet or a tag, or this is the file's start: a place where an ID3v1 tag may stand.
    private var isAtBoundary = true
    private var junkByteCount = 0
    private var junk = SkippedBytes()
    /// Bytes to come of a tag that is skipped.
    private var skip = 0
    private var id3v2: ID3v2Reader?
    private var info = InfoCollector()
    private var group = PacketGroup()
    private var stream = MPEGStreamFacts()

    init(typeHint: AudioFileType?) { self.typeHint = typeHint }

    func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        var place = 0
        var needed = 1
        while place < bytes.byteCount {
            if skip > 0 || id3v2 != nil {
                place += passTag(bytes, at: place, into: &sink)
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

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        if stream.packetCount == 0 {
            throw sync.reference == nil && junkByteCount > 0 ? .unsupportedFileType : .dataUnavailable
        }
        junk.end(into: &sink)
        if let problem = stream.lengthProblem { sink.streamDidParse(property: .problem(problem)) }
        for property in stream.finalProperties() { sink.streamDidParse(property: property) }
    }

    func skipGap() throws(AudioStreamError) {
        guard sync.reference != nil else { throw .discontinuityCannotRecover }
        isInSync = false
        isAtBoundary = false
        junk.removeAll()
        skip = 0
        id3v2 = nil
        stream.hasGap = true
    }

    // MARK: What stands here

    private func nextInSync(_ bytes: RawSpan, at place: Int, isLast: Bool) -> Finding {
        let available = bytes.byteCount - place
        guard available >= MPEGFrameHeader.byteCount || isLast else { return .needsMore(MPEGFrameHeader.byteCount) }
        guard let reference = sync.reference, let header = MPEGFrameHeader(bytes, at: place),
            header.belongsWith(reference)
        else { return search(bytes, at: place, isLast: isLast) }
        let byteCount = header.packetByteCount(freeFormatByteCount: sync.freeFormatByteCount)
        if byteCount <= available { return .packet(header, byteCount: byteCount) }
        guard isLast else { return .needsMore(byteCount) }
        // A truncated last packet cannot be decoded; an ID3v1 tag may still stand at the very end.
        let hasTag = available > ID3v1Tag.byteCount && bytes.has("TAG", at: bytes.byteCount - ID3v1Tag.byteCount)
        guard hasTag else { return .cutPacket(byteCount: available, missing: byteCount - available) }
        return .cutPacket(
            byteCount: available - ID3v1Tag.byteCount, missing: byteCount - available + ID3v1Tag.byteCount)
    }

    private func search(_ bytes: RawSpan, at place: Int, isLast: Bool) -> Finding {
        let available = bytes.byteCount - place
        guard isLast || available >= MPEGTags.signatureByteCount else {
            return .needsMore(MPEGTags.signatureByteCount)
        }
        if MPEGTags.isSignature(bytes, at: place), let tag = tag(bytes, at: place, isLast: isLast) { return tag }
        guard bytes[place] == 0xFF, let header = MPEGFrameHeader(bytes, at: place), isHinted(header) else {
            return .junk(junkLength(bytes, from: place))
        }
        switch sync.judge(header, in: bytes, at: place, isLast: isLast) {
        case .frame(let freeFormatByteCount): return .sync(header, freeFormatByteCount: freeFormatByteCount)
        case .notFrame: return .junk(1)
        case .needsMore(let byteCount): return .needsMore(byteCount)
        }
    }

    /// The tag whose signature stands here; nil if it is none after all.
    private func tag(_ bytes: RawSpan, at place: Int, isLast: Bool) -> Finding? {
        let available = bytes.byteCount - place
        if bytes.has("ID3", at: place), available >= ID3v2Reader.headerByteCount {
            return ID3v2Reader(bytes, at: place).map { .id3v2($0) }
        }
        if available >= APETag.headerByteCount, let byteCount = APETag.byteCount(bytes, at: place) {
            return .tag(byteCount: byteCount, [])
        }
        guard bytes.has("TAG", at: place) else { return nil }
        // Within junk the three letters count only where a tag must stand, 128 bytes before the end.
        let wanted = ID3v1Tag.byteCount + (isAtBoundary ? 0 : 1)
        guard isLast || available >= wanted else { return .needsMore(wanted) }
        guard available == ID3v1Tag.byteCount || (isAtBoundary && available > ID3v1Tag.byteCount) else { return nil }
        return .tag(byteCount: ID3v1Tag.byteCount, ID3v1Tag.fields(bytes, at: place))
    }

    private func isHinted(_ header: MPEGFrameHeader) -> Bool {
        switch typeHint {
        case .mpegLayer1: header.layer == 1
        case .mpegLayer2: header.layer == 2
        case .mpegLayer3: header.layer == 3
        default: true
        }
    }

    /// Bytes up to the next one that a header or a tag could begin with; at least 1.
    private func junkLength(_ bytes: RawSpan, from place: Int) -> Int {
        var end = place + 1
        while end < bytes.byteCount {
            switch bytes[end] {
            case 0xFF, UInt8(ascii: "I"), UInt8(ascii: "T"), UInt8(ascii: "A"): return end - place
            default: end += 1
            }
        }
        return end - place
    }

    // MARK: What to do with it

    /// Takes what stands here; says how many bytes that was.
    private func take<Sink: AudioStreamSink & ~Copyable>(
        _ finding: Finding, _ bytes: RawSpan, at place: Int, fileOffset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) -> Int {
        switch finding {
        case .junk, .needsMore: break
        default:
            if !junk.isEmpty { group.flush(window: bytes, into: &sink) }
            junk.end(into: &sink)
        }
        switch finding {
        case .packet(let header, let byteCount):
            takePacket(header, byteCount, bytes, at: place, fileOffset: fileOffset, into: &sink)
            isAtBoundary = true
            return byteCount
        case .sync(let header, let freeFormatByteCount):
            sync.reference = sync.reference ?? header
            sync.freeFormatByteCount = freeFormatByteCount
            isInSync = true
            return 0
        case .tag(let byteCount, let fields):
            group.flush(window: bytes, into: &sink)
            info.give(fields, into: &sink)
            skip = byteCount
            return 0
        case .id3v2(let reader):
            group.flush(window: bytes, into: &sink)
            id3v2 = reader
            return 0
        case .junk(let byteCount):
            try countJunk(byteCount, fileOffset)
            return byteCount
        case .cutPacket(let byteCount, let missing):
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

    private func countJunk(_ byteCount: Int, _ fileOffset: Int64) throws(AudioStreamError) {
        junk.add(byteCount, at: fileOffset)
        isInSync = false
        isAtBoundary = false
        junkByteCount &+= byteCount
        guard sync.reference != nil || junkByteCount <= AudioFileStreamLimits.junkByteCount else {
            throw .unsupportedFileType
        }
    }

    /// Goes on in a tag that was begun; says how many bytes it took.
    private func passTag<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, into sink: inout Sink
    ) -> Int {
        isAtBoundary = true
        guard var reader = id3v2.take() else {
            let passed = min(skip, bytes.byteCount - place)
            skip -= passed
            return passed
        }
        let passed = reader.consume(bytes, from: place)
        info.give(reader.found, into: &sink)
        if !reader.isDone { id3v2 = reader }
        return passed
    }

    private func takePacket<Sink: AudioStreamSink & ~Copyable>(
        _ header: MPEGFrameHeader, _ byteCount: Int, _ bytes: RawSpan, at place: Int, fileOffset: Int64,
        into sink: inout Sink
    ) {
        if stream.isFirstMPEGFrame {
            stream.isFirstMPEGFrame = false
            if let header = MPEGInfoHeader(bytes, at: place, header: header, packetByteCount: byteCount) {
                stream.infoHeader = header
                stream.infoHeaderByteCount = byteCount
                stream.infoHeaderOffset = fileOffset
                return
            }
        }
        let properties = stream.count(
            header, byteCount: byteCount, offset: fileOffset, freeFormatByteCount: sync.freeFormatByteCount)
        if !properties.isEmpty {
            group.flush(window: bytes, into: &sink)
            for property in properties { sink.streamDidParse(property: property) }
        }
        group.add(at: place, byteCount: byteCount, frameCount: header.frameCount, window: bytes, into: &sink)
    }
}
