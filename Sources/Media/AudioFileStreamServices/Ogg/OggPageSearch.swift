// A page begins with a capture pattern and is believed if its check is right. What looks like a page and is none was
// checked in vain, and a file may hold such places all over; so that time stays linear in the bytes, checks in vain are
// paid for out of a credit which grows with the bytes that go by. When it is used up, pages are passed over unlooked at
// that come before enough bytes went by; a file that was merely damaged never gets there.

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

    /// What stands at a place, which must be that where the last finding ended. `bytes` is not empty there.
    mutating func next(_ bytes: RawSpan, at place: Int, isLast: Bool) -> Finding {
        switch OggPage.read(bytes, at: place) {
        case .page(let page):
            let isWhole = page.byteCount <= credit && page.hasRightCheck(bytes, crc)
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

    /// Bytes up to the next one that a page may begin with.
    private static func junkByteCount(_ bytes: RawSpan, from place: Int, isLast: Bool) -> Int {
        var end = place + 1
        while end < bytes.byteCount {
            if bytes[end] == UInt8(ascii: "O"), bytes.byteCount - end < 4 || bytes.has("OggS", at: end) { break }
            end += 1
        }
        return end - place
    }
}
