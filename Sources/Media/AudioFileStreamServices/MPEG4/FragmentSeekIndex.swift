import AudioCore

/// The places of a movie's fragments: those parsed, and those in an index.
struct FragmentSeekIndex {
    /// The index of fragments not parsed yet.
    private enum Announcement {
        /// None was found before the fragments; one may be at the end of the file.
        case none
        /// The one at the end is being searched and read.
        case reading(RandomAccessIndex)
        /// There is none at the end; one may still come before later fragments.
        case missing
        case found(AnnouncedFragments)
    }

    private(set) var seen = FragmentIndex()
    private var announcement = Announcement.none
    /// A seek led to an estimated place: the numbers of the packets that follow are uncertain.
    private var followsEstimate = false

    // MARK: Indexes

    /// Whether an index found now would be of use.
    var wantsIndex: Bool { if case .found = announcement { false } else { true } }

    /// Whether the end of the file may hold an index and was not searched yet.
    var maySearch: Bool { if case .none = announcement { true } else { false } }

    /// Begins the search for an index at the end of the file; once only.
    /// - Parameters:
    ///   - empty: the table to fill; nil if it would be of no use.
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

    /// Performs one step of the search.
    /// - Parameter position: offset of `place` in the file.
    /// - Returns: nil when the search is over.
    mutating func read(_ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool) -> MovieProgress? {
        guard case .reading(var index) = announcement else { return nil }
        // Avoids copying the index.
        announcement = .missing
        guard let step = index.step(bytes, at: place, position, isAtEnd: isAtEnd) else {
            announce(index.fragments)
            return nil
        }
        announcement = .reading(index)
        return step
    }

    /// Abandons the search because a seek came first; it may begin again later.
    mutating func abandonSearch() { if case .reading = announcement { announcement = .none } }

    /// Takes the contents of an index; an empty one is ignored.
    mutating func announce(_ fragments: AnnouncedFragments) {
        if wantsIndex, !fragments.entries.isEmpty { announcement = .found(fragments) }
    }

    // MARK: Parsing

    /// Notes a parsed fragment if its numbers are certain.
    mutating func note(_ entry: FragmentIndex.Entry) { if !followsEstimate { seen.note(entry) } }

    /// Continues at a place that is certain.
    mutating func resume() { followsEstimate = false }

    /// Continues at a place that ``place(atOrBefore:framesPerPacket:fileEnd:)`` returned.
    mutating func resume(at place: AudioFileStreamSeek) { followsEstimate = place.isEstimate }

    // MARK: Seeking

    /// Returns the last known fragment that begins at or before a packet.
    /// - Parameters:
    ///   - framesPerPacket: nil if frame counts vary; no index can be used then.
    ///   - fileEnd: index entries beyond it are ignored; nil if unknown.
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
