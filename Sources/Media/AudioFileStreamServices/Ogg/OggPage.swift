/// The header of an Ogg page (RFC 3533 section 6), and where the page lies in a window.
struct OggPage {
    static let fixedByteCount = 27
    static let largestByteCount = fixedByteCount + 255 + 255 * 255

    enum Finding {
        case page(OggPage)
        case needsMore(Int)
        case none
    }

    /// Offset in the window.
    var start: Int
    var byteCount: Int
    var segmentCount: Int
    /// The first packet of the page began on an earlier page.
    var isContinued: Bool
    var isFirst: Bool
    var isLast: Bool
    /// The granule position: the end of the last packet that ends here, in the codec's time; nil if none does.
    var granule: Int64?
    var serial: UInt32
    var sequence: UInt32

    /// Reads the page that seems to begin at `start`; does not verify its CRC.
    static func read(_ bytes: RawSpan, at start: Int) -> Finding {
        let available = bytes.byteCount - start
        guard available >= fixedByteCount else { return .needsMore(fixedByteCount) }
        let flags = bytes[start + 5]
        guard bytes.has("OggS", at: start), bytes[start + 4] == 0, flags & 0xF8 == 0 else { return .none }
        let segmentCount = Int(bytes[start + 26])
        guard available >= fixedByteCount + segmentCount else { return .needsMore(fixedByteCount + segmentCount) }
        var byteCount = fixedByteCount + segmentCount
        for index in 0..<segmentCount { byteCount += Int(bytes[start + fixedByteCount + index]) }
        guard available >= byteCount else { return .needsMore(byteCount) }
        let low = UInt64(bytes.littleEndian32(at: start + 6))
        let granule = Int64(bitPattern: UInt64(bytes.littleEndian32(at: start + 10)) << 32 | low)
        return .page(
            OggPage(
                start: start, byteCount: byteCount, segmentCount: segmentCount, isContinued: flags & 1 != 0,
                isFirst: flags & 2 != 0, isLast: flags & 4 != 0,
                granule: (0..<1 << 60).contains(granule) ? granule : nil,
                serial: bytes.littleEndian32(at: start + 14), sequence: bytes.littleEndian32(at: start + 18)))
    }

    /// Whether the first page of a stream seems to come next in the window.
    func isFollowedByFirst(_ bytes: RawSpan) -> Bool {
        let next = start + byteCount
        return bytes.byteCount - next >= Self.fixedByteCount && bytes.has("OggS", at: next) && bytes[next + 4] == 0
            && bytes[next + 5] & 2 != 0
    }

    /// Returns the bytes needed from `start` on to see what follows a stream's last page; nil if they are present.
    static func byteCountWithFollower(_ bytes: RawSpan, at start: Int) -> Int? {
        guard case .page(let page) = read(bytes, at: start), page.isLast else { return nil }
        let byteCount = page.byteCount + fixedByteCount
        return bytes.byteCount - start < byteCount ? byteCount : nil
    }

    /// Whether the CRC is valid; it is computed with zeros in its own place.
    func hasValidCRC(_ bytes: RawSpan, _ crc: SlicedCRC) -> Bool {
        let check = bytes.littleEndian32(at: start + 22)
        var register = crc.register(0, after: bytes.extracting(start..<start + 22))
        register = crc.register(register, afterZeros: 4)
        register = crc.register(register, after: bytes.extracting(start + 26..<start + byteCount))
        return register == check
    }

    /// Iterates over the page's packets and parts of packets.
    var lacing: OggLacing { OggLacing(page: self) }
}

/// Iterates over the packets of a page: each ends with the first lacing value below 255.
struct OggLacing {
    struct Part {
        /// Range in the window.
        var range: Range<Int>
        /// The packet ends here.
        var isEnd: Bool
        /// The packet began on an earlier page.
        var isContinuation: Bool
    }

    private let page: OggPage
    private var segment = 0
    private var place: Int

    init(page: OggPage) {
        self.page = page
        place = page.start + OggPage.fixedByteCount + page.segmentCount
    }

    mutating func next(_ bytes: RawSpan) -> Part? {
        guard segment < page.segmentCount else { return nil }
        let start = place
        let isContinuation = segment == 0 && page.isContinued
        while segment < page.segmentCount {
            let value = Int(bytes[page.start + OggPage.fixedByteCount + segment])
            segment += 1
            place += value
            if value < 255 { return Part(range: start..<place, isEnd: true, isContinuation: isContinuation) }
        }
        return Part(range: start..<place, isEnd: false, isContinuation: isContinuation)
    }
}
