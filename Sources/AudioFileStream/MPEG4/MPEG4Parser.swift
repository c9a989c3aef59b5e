import AudioCore

// ISO base media files (ISO/IEC 14496-12), of which MPEG-4 (14496-14), 3GPP (TS 26.244) and, with small differences,
// QuickTime are kinds: a tree of boxes. `moov` describes tracks; their bytes lie anywhere, most often in `mdat`. The
// parser is in one of three moods:
//
//   walking   goes from box to box, enters those that it knows, gathers the small ones and the packet tables
//   playing   goes from packet to packet, wherever the tables say that they lie; what lies between is passed over
//   indexing  looks at the end of the file for an index of fragments, before the first of them
//
// It plays when `moov` is over, and after each `moof` (the same for the packets that follow it), and walks on behind.
// While it plays it keeps an eye on the heads of the boxes that it passes, so as to know where to walk on.
//
// With all of the file at hand it goes where it must; in a pure stream what lies behind cannot be had any more: tables
// that come after the audio, or packets that are not in the order of the file, are not optimized.

/// The parser of MPEG-4 files.
struct MPEG4Parser: ContainerParser {
    enum Mood {
        case walking, playing, indexing, done
    }

    enum Step {
        /// Bytes were taken; perhaps none, but something changed.
        case took(Int)
        /// Goes on at this place in the file.
        case goTo(Int64)
        case needsMore(Int)
    }

    let access: ByteAccess
    var mood = Mood.walking
    var walker = BoxWalker()

    // What `moov` says.
    var movie = Movie()
    var hasMovie = false
    /// Where the box begins that follows `moov`.
    var movieEnd: Int64 = 0
    /// Where the box begins that follows those in which packets of `moov` were met.
    var tableEnd: Int64 = 0
    /// Behind the last byte that was brought.
    private var seenEnd: Int64 = 0
    /// Of the box that is being walked through.
    var track = MovieTrack()
    var tags = MovieTags()
    var info = InfoCollector()
    var hasArtwork = false
    var gaplessTag: ITunesGaplessTag?

    // What is played.
    var entry: SampleEntry?
    var tableCursor: SampleTableCursor?
    /// Instead of it, where an edit list plays several stretches.
    var editedCursor: EditedCursor?
    /// The one that is walked through, or played where no table is.
    var fragment = Fragment()
    var fragments = FragmentIndex()
    /// What an index in front or at the end of the file tells of.
    var announced: AnnouncedFragments?
    /// Set when it was sought at the end.
    var randomAccess: RandomAccessIndex?
    /// After a seek to where only an estimate led: what goes by has no numbers that are certain.
    var isAstray = false
    var group = PacketGroup()
    var stream = MovieStream()
    /// Where the file ended before a packet that is announced.
    var truncation: AudioStreamProblem?
    /// The first packet of the first sample met that holds more or fewer packets than its time says.
    var firstMiscount = Int64.max
    /// How often the file was gone back in since the start or a seek.
    var returnCount: Int64 = 0
    /// By how many bytes, for an edited song in fragments.
    var returnedByteCount: Int64 = 0

    init(access: ByteAccess) {
        self.access = access
        if case .file(let byteCount) = access { walker.fileEnd = byteCount }
    }

    /// Nil where only what comes is known.
    var fileByteCount: Int64? {
        if case .file(let byteCount) = access { byteCount } else { nil }
    }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        let end = offset &+ Int64(bytes.byteCount)
        // Whoever has all of the file knows where it ends.
        let isAtEnd = isLast || fileByteCount.map { end >= $0 } ?? false
        seenEnd = end
        if bytes.byteCount > 0 { stream.isFreshlyPlaced = false }
        var place = 0
        while true {
            let step: Step
            switch mood {
            case .walking: step = try walk(bytes, at: place, offset &+ Int64(place), isAtEnd: isAtEnd, into: &sink)
            case .playing: step = try play(bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
            case .indexing: step = readIndex(bytes, at: place, offset &+ Int64(place), isAtEnd: isAtEnd)
            case .done:
                group.flush(window: bytes, into: &sink)
                let jump = fileByteCount.flatMap { $0 > end ? $0 : nil }
                return Progress(consumed: bytes.byteCount, needed: 1, jump: jump)
            }
            switch step {
            case .took(let count):
                place += count
            case .needsMore(let count):
                group.flush(window: bytes, into: &sink)
                return Progress(consumed: place, needed: count)
            case .goTo(let target):
                if target >= offset &+ Int64(place), target <= end {
                    place = Int(target - offset)
                    continue
                }
                group.flush(window: bytes, into: &sink)
                guard let fileByteCount else { return Progress(consumed: bytes.byteCount, needed: 1) }
                if target < offset &+ Int64(place) {
                    if let reason = reasonNotToReturn(by: offset &+ Int64(place) - target, fileByteCount) {
                        giveUp(reason, at: target, into: &sink)
                        continue
                    }
                }
                let jump = min(target, fileByteCount)
                return Progress(consumed: bytes.byteCount, needed: 1, jump: jump == end ? nil : jump)
            }
        }
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard hasMovie else {
            throw .invalidFile("MPEG-4 tables ('moov') are missing: the file ends at byte \(fileByteCount ?? seenEnd)")
        }
        guard stream.hasGap || stream.packetCount > 0 else { throw .dataUnavailable }
        if let truncation, !stream.hasGap { sink.streamDidParse(property: .problem(truncation)) }
        for property in stream.finalProperties() { sink.streamDidParse(property: property) }
    }

    /// How often an edit list may send the parser back, a part of how often anything may.
    var largestReturnCount: Int { fileByteCount.map { 8 + Int(min($0 / 8_192, 24)) } ?? 0 }

    /// Tables that send the parser to and fro must not cost more than the file is worth. Chunks of a few kilobytes may
    /// lie in any order. Of fragments all is read that lies behind the place that was gone back to.
    private mutating func reasonNotToReturn(by byteCount: Int64, _ fileByteCount: Int64) -> String? {
        returnCount += 1
        if returnCount > 12 + fileByteCount / 2_048 { return "MPEG-4 packets in no order that can be followed" }
        guard stream.streamedSong != nil else { return nil }
        returnedByteCount += byteCount
        return returnedByteCount / AudioFileStreamLimits.editedMultiple < fileByteCount ? nil : Self.excessiveEdits
    }

    static let excessiveEdits =
        "MPEG-4 edits that make more than \(AudioFileStreamLimits.editedMultiple) times the file"

    /// Plays no more. Packets before must have been handed over.
    mutating func giveUp<Sink: AudioStreamSink & ~Copyable>(_ reason: String, at offset: Int64, into sink: inout Sink) {
        mood = .done
        sink.streamDidParse(property: .problem(AudioStreamProblem(.damaged(reason), at: offset)))
    }

    /// Where the bytes after a gap lie is not known, and nothing in them tells.
    func skipGap() throws(AudioStreamError) {
        guard stream.isFreshlyPlaced else { throw .discontinuityCannotRecover }
    }
}

extension MPEG4Parser {
    /// Whether a file begins like this: `ftyp`, or in old QuickTime files one of the boxes that may come first.
    ///
    /// Its first eight bytes decide, since no more may be there yet: what a size of 64 bits is worth is seen later.
    static func isSignature(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= BoxHeader.smallestByteCount,
            !(2..<UInt32(BoxHeader.smallestByteCount)).contains(bytes.bigEndian32(at: 0))
        else { return false }
        switch BoxType(rawValue: bytes.bigEndian32(at: 4)) {
        case BoxType("ftyp"), .moov, .mdat, BoxType("wide"), BoxType("skip"), BoxType("free"), BoxType("pnot"):
            return true
        default: return false
        }
    }
}
