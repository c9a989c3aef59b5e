// The index at the end of a fragmented file (ISO/IEC 14496-12 sections 8.8.9 to 8.8.11): `mfra` contains a table for
// each track, `tfra`, and finally `mfro`, which gives the size of `mfra`. So the file's last sixteen bytes lead to it.
// An entry is a time, the place of a `moof`, and the sample in it that begins at that time; only entries for a
// fragment's first sample are useful. Entries are read as they come, and the number kept is bounded.
//
// A tool that moves a file's boxes may leave the index unchanged. So the place in its last entry is checked before the
// index is believed.

/// Reads the index of one track; needs random access.
struct RandomAccessIndex {
    private enum Stage { case length, index, table, entries, proof }

    private static let lengthByteCount: Int64 = 16
    private static let tableHeadByteCount: Int64 = 24

    /// The range of the file needed for the next step; nil when nothing more is to be read.
    private var wanted: Range<Int64>?
    private(set) var fragments: AnnouncedFragments

    private let track: UInt32
    /// Timescale of the track's media, not zero.
    private let timescale: Int64
    /// From the first fragment to the end of the file: where fragments lie.
    private let region: Range<Int64>
    private var stage = Stage.length
    /// Boxes in `mfra`: from the next one to the start of the last.
    private var boxes: Range<Int64> = 0..<0
    // Of the table: bytes per entry; whether time and place have 64 bits; bytes of each number after them.
    private var entryByteCount = 0
    private var isLong = false
    private var numberByteCounts = (traf: 0, trun: 0, sample: 0)
    private var entriesLeft: Int64 = 0

    init(track: UInt32, timescale: Int64, region: Range<Int64>, fragments: AnnouncedFragments) {
        self.track = track
        self.timescale = timescale
        self.region = region
        self.fragments = fragments
        want(region.upperBound - Self.lengthByteCount, Self.lengthByteCount)
    }

    private mutating func want(_ start: Int64, _ byteCount: Int64) {
        let isInside = start >= region.lowerBound && start <= region.upperBound - byteCount
        wanted = isInside ? start..<start + byteCount : nil
    }

    /// Performs one step towards ``wanted``.
    /// - Parameter position: offset of `place` in the file.
    /// - Returns: nil when nothing more is to be read, or can be.
    mutating func step(_ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool) -> MovieProgress? {
        guard let wanted else { return nil }
        guard wanted.lowerBound == position else { return .goTo(wanted.lowerBound) }
        guard bytes.byteCount - place >= wanted.count else { return isAtEnd ? nil : .needsMore(wanted.count) }
        take(bytes.extracting(place..<bytes.byteCount))
        return .took(0)
    }

    /// - Parameter bytes: the ``wanted`` bytes, and any that follow.
    private mutating func take(_ bytes: RawSpan) {
        guard let place = wanted?.lowerBound else { return }
        wanted = nil
        guard stage != .entries else { return takeEntries(bytes, at: place) }
        guard case .header(let header) = BoxHeader.read(bytes, at: 0), header.byteCount == BoxHeader.smallestByteCount
        else { return }
        let end = header.boxByteCount.map { place + $0 } ?? region.upperBound
        switch stage {
        case .length where header.type == .mfro && end == region.upperBound:
            stage = .index
            want(end - Int64(bytes.bigEndian32(at: 12)), Int64(BoxHeader.smallestByteCount))
        case .index where header.type == .mfra && end == region.upperBound:
            stage = .table
            boxes = place + Int64(header.byteCount)..<max(end - Self.lengthByteCount, place + Int64(header.byteCount))
            wantTable(at: boxes.lowerBound)
        case .table where header.type == .tfra && bytes.bigEndian32(at: 12) == track:
            openTable(bytes, at: place, end: min(end, boxes.upperBound))
        case .table:
            wantTable(at: end)
        case .proof where header.type != .moof:
            fragments.removeAll()
        default: return
        }
    }

    private mutating func wantTable(at place: Int64) {
        guard place <= boxes.upperBound - Self.tableHeadByteCount else { return }
        want(place, Self.tableHeadByteCount)
    }

    private mutating func openTable(_ bytes: RawSpan, at place: Int64, end: Int64) {
        let lengths = Int(bytes.bigEndian32(at: 16))
        isLong = bytes[8] == 1
        numberByteCounts = (lengths >> 4 & 3 + 1, lengths >> 2 & 3 + 1, lengths & 3 + 1)
        entryByteCount =
            (isLong ? 16 : 8) + numberByteCounts.traf + numberByteCounts.trun + numberByteCounts.sample
        entriesLeft = min(
            Int64(bytes.bigEndian32(at: 20)), (end - place - Self.tableHeadByteCount) / Int64(entryByteCount))
        stage = .entries
        wantEntry(at: place + Self.tableHeadByteCount)
    }

    private mutating func wantEntry(at place: Int64) {
        if entriesLeft > 0 { return want(place, Int64(entryByteCount)) }
        guard let last = fragments.entries.last else { return }
        stage = .proof
        want(last.byteOffset, Int64(BoxHeader.smallestByteCount))
    }

    private mutating func takeEntries(_ bytes: RawSpan, at start: Int64) {
        var place = 0
        while entriesLeft > 0, bytes.byteCount - place >= entryByteCount {
            takeEntry(bytes, at: place)
            entriesLeft -= 1
            place += entryByteCount
        }
        wantEntry(at: start + Int64(place))
    }

    private mutating func takeEntry(_ bytes: RawSpan, at place: Int) {
        let time = isLong ? bytes.bigEndian64(at: place) : UInt64(bytes.bigEndian32(at: place))
        let offset = isLong ? bytes.bigEndian64(at: place + 8) : UInt64(bytes.bigEndian32(at: place + 4))
        guard let byteOffset = Int64(exactly: offset), region.contains(byteOffset) else { return }
        if let last = fragments.entries.last, byteOffset <= last.byteOffset { return }
        // Numbers count from 1.
        let run = place + (isLong ? 16 : 8) + numberByteCounts.traf
        guard number(bytes, run, numberByteCounts.trun) == 1,
            number(bytes, run + numberByteCounts.trun, numberByteCounts.sample) == 1
        else { return }
        fragments.add(time: Int128(time), per: Int128(timescale), byteOffset: byteOffset)
    }

    private func number(_ bytes: RawSpan, _ place: Int, _ byteCount: Int) -> UInt64 {
        (place..<place + byteCount).reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }
}
