import AudioCore

/// Where the fragments of a movie lie: those that went by, and those that an index tells of.
struct FragmentSeekIndex {
    /// The index of what has not gone by.
    private enum Announcement {
        /// None was met in front of the fragments; one may be at the end of the file.
        case none
        /// The one at the end is looked for, and read.
        case reading(RandomAccessIndex)
        /// There is none at the end; one in front may still come.
        case missing
        case found(AnnouncedFragments)
    }

    private(set) var seen = FragmentIndex()
    private var announcement = Announcement.none
    /// After a seek to where only an estimate led: what goes by has no numbers that are certain.
    private var isAstray = false

    // MARK: Indexes

    /// Whether an index that is met now would be of use.
    var wantsIndex: Bool { if case .found = announcement { false } else { true } }

    /// Whether the end of the file may hold an index, and was not looked at.
    var maySearch: Bool { if case .none = announcement { true } else { false } }

    /// Looks for an index at the end of the file; once only.
    /// - Parameters:
    ///   - empty: what the index is to fill; nil where it would be of no use.
    ///   - region: from the first fragment to the file's end.
    /// - Returns: whether there is something to ``read(_:at:_:isAtEnd:)``.
    mutating func search(_ empty: AnnouncedFragments?, of track: MovieTrack, in region: Range<Int64>) -> Bool {
        guard maySearch else { return false }
        announcement = .missing
        guard let empty, track.timescale > 0 else { return false }
        announcement = .reading(
            RandomAccessIndex(track: track.id, timescale: track.timescale, region: region, fragments: empty))
        return true
    }

    /// One step of the search.
    /// - Parameter position: of `place` in the file.
    /// - Returns: nil when it is over.
    mutating func read(_ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool) -> MovieStep? {
        guard case .reading(var index) = announcement else { return nil }
        // So that nothing of the index is copied.
        announcement = .missing
        guard let step = index.step(bytes, at: place, position, isAtEnd: isAtEnd) else {
            announce(index.fragments)
            return nil
        }
        announcement = .reading(index)
        return step
    }

    /// A seek comes before the index was read: another time.
    mutating func abandonSearch() { if case .reading = announcement { announcement = .none } }

    /// Takes what an index says; one without entries says nothing.
    mutating func announce(_ fragments: AnnouncedFragments) {
        if wantsIndex, !fragments.entries.isEmpty { announcement = .found(fragments) }
    }

    // MARK: Going by

    /// Notes a fragment that goes by, where its numbers are certain.
    mutating func note(_ entry: FragmentIndex.Entry) { if !isAstray { seen.note(entry) } }

    /// Goes on from a place that is certain.
    mutating func resume() { isAstray = false }

    /// Goes on from a place that ``place(atOrBefore:framesPerPacket:fileEnd:)`` gave.
    mutating func resume(at place: AudioFileStreamSeek) { isAstray = place.isEstimate }

    // MARK: Seeking

    /// The last fragment known that begins with a packet or before it.
    /// - Parameters:
    ///   - framesPerPacket: nil where packets differ, which no index can tell of.
    ///   - fileEnd: what an index names behind it is not there; nil where that is not known.
    func place(
        atOrBefore packet: Int64, framesPerPacket: Int?, fileEnd: Int64?
    ) throws(AudioStreamError) -> (place: AudioFileStreamSeek, frame: Int64) {
        let seen = seen.last { $0.packet <= packet }
        if case .found(let announced) = announcement, let ahead = announced.entry(atOrBefore: packet),
            ahead.packet > seen?.packet ?? -1, ahead.byteOffset < fileEnd ?? .max, let framesPerPacket
        {
            let place = AudioFileStreamSeek(
                packet: ahead.packet, byteOffset: ahead.byteOffset, isEstimate: !ahead.isExact)
            return (place, Int64(clamping: Int128(ahead.packet) * Int128(framesPerPacket)))
        }
        guard let seen else { throw .valueUnknown }
        return (AudioFileStreamSeek(packet: seen.packet, byteOffset: seen.byteOffset), seen.frame)
    }
}
