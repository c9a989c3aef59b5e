import AudioCore

/// What stands at a place in an elementary stream.
enum ElementaryStreamFinding {
    case frame(FrameHeader, byteCount: Int)
    case tag(TagReader)
    case sync(FrameHeader, freeFormatByteCount: Int)
    case junk(Int)
    /// A last frame that the file's end cuts off.
    case cutFrame(byteCount: Int, missing: Int)
    case needsMore(Int)
}

extension ElementaryStreamParser {
    mutating func nextInSync(_ bytes: RawSpan, at place: Int, isLast: Bool) -> ElementaryStreamFinding {
        guard let reference = sync.reference else { return search(bytes, at: place, isLast: isLast) }
        let available = bytes.byteCount - place
        guard available >= reference.headerByteCount || isLast else { return .needsMore(reference.headerByteCount) }
        guard let header = reference.successor(bytes, at: place) else {
            return search(bytes, at: place, isLast: isLast)
        }
        let byteCount = header.byteCount(freeFormatByteCount: sync.freeFormatByteCount)
        if byteCount <= available {
            guard facts == nil, let more = prepare(header, bytes, at: place, isLast: isLast) else {
                return header.isDivisible(bytes, at: place) ? .frame(header, byteCount: byteCount) : .junk(byteCount)
            }
            return .needsMore(more)
        }
        guard isLast else { return .needsMore(byteCount) }
        // A truncated last frame cannot be decoded; an ID3v1 tag may still stand at the very end.
        let tagByteCount = TagScanner.hasID3v1AtEnd(bytes, from: place) ? ID3v1Tag.byteCount : 0
        let present = available - tagByteCount
        return .cutFrame(byteCount: present, missing: byteCount - present)
    }

    /// Prepares for the first frame. Returns the size the window needs for that, or nil if it is large enough.
    private mutating func prepare(_ header: FrameHeader, _ bytes: RawSpan, at place: Int, isLast: Bool) -> Int? {
        var ahead: FrameLookAhead?
        if !header.givesBitRate {
            switch FrameLookAhead.find(header, in: bytes, at: place, isLast: isLast) {
            case .needsMore(let byteCount): return byteCount
            case .seen(let seen): ahead = seen
            }
        }
        if case .mpeg = header {
            facts = MPEGStreamFacts(fileByteCount: audioEnd, freeFormatByteCount: sync.freeFormatByteCount)
        } else {
            facts = FirstFrameFacts(fileByteCount: audioEnd, ahead: ahead)
        }
        return nil
    }

    func search(_ bytes: RawSpan, at place: Int, isLast: Bool) -> ElementaryStreamFinding {
        let available = bytes.byteCount - place
        guard isLast || available >= TagScanner.signatureByteCount else {
            return .needsMore(TagScanner.signatureByteCount)
        }
        switch TagScanner.find(bytes, at: place, isAtBoundary: isAtBoundary, isLast: isLast) {
        case .none: break
        case .needsMore(let byteCount): return .needsMore(byteCount)
        case .begins(let tag): return .tag(tag)
        }
        guard let header = sync.candidate(bytes, at: place) else { return .junk(junkLength(bytes, from: place)) }
        switch sync.judge(header, in: bytes, at: place, isInSync: isInSync, isLast: isLast) {
        case .frame(let freeFormatByteCount): return .sync(header, freeFormatByteCount: freeFormatByteCount)
        case .notFrame: return .junk(1)
        case .needsMore(let byteCount): return .needsMore(byteCount)
        }
    }

    /// Bytes up to the next one that could begin a header or a tag; at least 1.
    private func junkLength(_ bytes: RawSpan, from place: Int) -> Int {
        if case .amr = sync.reference { return 1 }
        var end = place + 1
        while end < bytes.byteCount {
            switch bytes[end] {
            case 0xFF, UInt8(ascii: "I"), UInt8(ascii: "T"), UInt8(ascii: "A"), AC3Header.syncByte,
                AC3Header.swappedSyncByte:
                return end - place
            default: end += 1
            }
        }
        return end - place
    }
}
