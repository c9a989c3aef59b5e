// A page begins with a capture pattern and is believed if its CRC is valid. A false pattern costs a CRC in vain, and a
// file may be full of them. To keep the time linear in the bytes, each CRC in vain is paid for from a credit that grows
// with the bytes parsed. When it is used up, pages are skipped unchecked until it has grown enough; a file that is
// merely damaged never gets there.

/// Finds pages.
struct OggPageSearch {
    enum Finding {
        case page(OggPage)
        /// Bytes that belong to no page.
        case junk(Int)
        case needsMore(Int)
    }

    private static let largestCredit = 1 << 20
    private static let creditPerByte = 4

    private let crc = SlicedCRC.oggPage
    private var credit = Self.largestCredit
    /// The file ends within what looked like a page.
    private(set) var isCut = false

    /// Identifies what stands at a place, which must be where the last finding ended. There are bytes from it on.
    mutating func next(_ bytes: RawSpan, at place: Int, isLast: Bool) -> Finding {
        switch OggPage.read(bytes, at: place) {
        case .page(let page):
            let isWhole = page.byteCount <= credit && page.hasValidCRC(bytes, crc)
            earn(isWhole ? page.byteCount : -page.byteCount)
            if isWhole { return .page(page) }
        case .needsMore(let byteCount):
            guard isLast else { return .needsMore(byteCount) }
            if bytes.has("OggS", at: place) { isCut = true }
        case .none: break
        }
        let junk = Self.junkByteCount(bytes, from: place, isLast: isLast)
        earn(junk)
        return .junk(junk)
    }

    private mutating func earn(_ byteCount: Int) {
        let amount = byteCount < 0 ? byteCount : byteCount * Self.creditPerByte
        credit = min(Self.largestCredit, max(0, credit + amount))
    }

    /// Bytes up to the next one that may begin a page.
    private static func junkByteCount(_ bytes: RawSpan, from place: Int, isLast: Bool) -> Int {
        var end = place + 1
        while end < bytes.byteCount {
            if bytes[end] == UInt8(ascii: "O"), bytes.byteCount - end < 4 || bytes.has("OggS", at: end) { break }
            end += 1
        }
        return end - place
    }
}
