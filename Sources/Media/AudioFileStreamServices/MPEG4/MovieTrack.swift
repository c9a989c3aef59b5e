import AudioCore

/// The useful contents of a `trak` box.
struct MovieTrack {
    /// An edit (ISO/IEC 14496-12 section 8.6.6): what part of the media is played.
    struct Edit: Equatable {
        /// In the movie's timescale; 0: to the end.
        var duration: Int64
        /// In the media's timescale; negative for silence.
        var mediaTime: Int64
        var isAtFullSpeed = true
    }

    /// Offset of its box in the file.
    var byteOffset: Int64 = 0
    var id: UInt32 = 0
    var isEnabled = false
    /// Nil until a `hdlr` box says.
    var isAudio: Bool?
    /// Units per second of the media's times.
    var timescale: Int64 = 0
    var edits: [Edit] = []
    /// Of their box's body in the file.
    var editsOffset: Int64 = 0
    var table = SampleTable()
    var entry: SampleEntry?
    /// Why there is no sample entry.
    var failure: AudioStreamError?

    /// The track's preference for playback.
    var rank: Int {
        guard isAudio == true, timescale > 0 else { return 0 }
        return 1 + (entry != nil ? 2 : 0) + (isEnabled ? 1 : 0)
    }

    static let bestRank = 4

    /// Takes the body of a box in the track, including version and flags.
    /// - Parameter offset: offset of the body in the file.
    mutating func take(_ type: BoxType, _ body: [UInt8], at offset: Int64) {
        guard body.count >= 8 else { return }
        let bytes = body.span.bytes
        let isLong = body[0] == 1
        switch type {
        case .tkhd:
            isEnabled = body[3] & 1 == 1
            guard body.count >= (isLong ? 24 : 16) else { return }
            id = bytes.bigEndian32(at: isLong ? 20 : 12)
        case .mdhd:
            guard body.count >= (isLong ? 24 : 16) else { return }
            timescale = Int64(bytes.bigEndian32(at: isLong ? 20 : 12))
        case .hdlr:
            guard body.count >= 12, isAudio == nil else { return }
            isAudio = bytes.has("soun", at: 8)
        case .elst:
            editsOffset = offset
            takeEdits(bytes, isLong: isLong)
        case .stsd:
            do throws(AudioStreamError) { entry = try SampleEntry(body) } catch { failure = error.at(offset) }
        default:
            table.take(type, body)
        }
    }

    private mutating func takeEdits(_ bytes: RawSpan, isLong: Bool) {
        let entryByteCount = isLong ? 20 : 12
        let count = min(Int(bytes.bigEndian32(at: 4)), (bytes.byteCount - 8) / entryByteCount)
        edits = (0..<count).map { index in
            let place = 8 + index * entryByteCount
            var edit =
                isLong
                ? Edit(
                    duration: Int64(clamping: bytes.bigEndian64(at: place)),
                    mediaTime: Int64(bitPattern: bytes.bigEndian64(at: place + 8)))
                : Edit(
                    duration: Int64(bytes.bigEndian32(at: place)),
                    mediaTime: Int64(Int32(bitPattern: bytes.bigEndian32(at: place + 4))))
            edit.isAtFullSpeed = bytes.bigEndian32(at: place + entryByteCount - 4) == 0x1_0000
            return edit
        }
    }
}

/// The contents of a `moov` box.
struct Movie {
    /// Units per second of the movie's times.
    var timescale: Int64 = 0
    /// Duration of a fragmented file in the movie's timescale; 0 if it does not say.
    var fragmentDuration: Int64 = 0
    var isFragmented = false
    var defaults: [TrackDefaults] = []
    /// The track that is played: the first enabled audio track that can be; otherwise the next best.
    private(set) var track: MovieTrack?

    private static let largestTrackCount = 64

    mutating func add(_ candidate: MovieTrack) {
        if candidate.rank > track?.rank ?? 0 { track = candidate }
    }

    /// Takes the body of a box outside all tracks, including version and flags.
    mutating func take(_ type: BoxType, _ body: [UInt8]) {
        guard body.count >= 8 else { return }
        let bytes = body.span.bytes
        let isLong = body[0] == 1
        switch type {
        case .mvhd:
            guard body.count >= (isLong ? 24 : 16) else { return }
            timescale = Int64(bytes.bigEndian32(at: isLong ? 20 : 12))
        case .mehd:
            guard body.count >= (isLong ? 12 : 8) else { return }
            fragmentDuration = isLong ? Int64(clamping: bytes.bigEndian64(at: 4)) : Int64(bytes.bigEndian32(at: 4))
        case .trex:
            guard defaults.count < Self.largestTrackCount, let next = TrackDefaults(body) else { return }
            defaults.append(next)
        default: return
        }
    }
}
