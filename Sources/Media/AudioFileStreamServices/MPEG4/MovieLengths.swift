import AudioCore

// How much of a track is heard, to the frame (gapless playback). Of three sources the first that exists counts:
//
//   iTunSMPB      iTunes' tag: priming, remainder and audible frames
//   edit list     the edit begins behind the priming, and ends behind the last audible frame. In a fragmented movie
//                 that end counts only if it lies behind the samples in `moov`: many writers make the list before they
//                 know of more
//   the tables    all is audible up to the end of the last sample's time, which may be shorter than what it decodes to
//
// A list of more than one edit of the media, or of one at another speed, is not followed: all is played from where the
// first edit begins, and a problem reports that.
//
// Lengths of edits are in units of the movie's timescale, often milliseconds: an end within one unit of the media's end
// is taken as the media's end. An empty edit in front delays the sound against a picture; it is not played.

/// iTunes' gapless tag (`iTunSMPB`): hexadecimal numbers separated by spaces; the first has no meaning.
struct ITunesGaplessTag: Equatable {
    var primingFrameCount: Int64
    var remainderFrameCount: Int64
    var validFrameCount: Int64

    /// Returns nil if the text is no such tag, or its numbers are implausible.
    init?(_ text: String) {
        let fields = text.utf8.split(separator: UInt8(ascii: " ")).prefix(4).map { Int64(Substring($0), radix: 16) }
        guard fields.count == 4, let priming = fields[1], let remainder = fields[2], let valid = fields[3],
            priming >= 0, priming <= Self.largestTrim, remainder >= 0, remainder <= Self.largestTrim, valid > 0,
            valid < 1 << 48
        else { return nil }
        primingFrameCount = priming
        remainderFrameCount = remainder
        validFrameCount = valid
    }

    private static let largestTrim: Int64 = 1 << 24

    func scaled(by factor: Int64) -> ITunesGaplessTag {
        var tag = self
        tag.primingFrameCount *= factor
        tag.remainderFrameCount *= factor
        tag.validFrameCount *= factor
        return tag
    }

    var totalFrameCount: Int64 { primingFrameCount + remainderFrameCount + validFrameCount }
}

/// Computes the audible part of a track.
struct MovieLengths {
    var sampleRate: Double
    var mediaTimescale: Int64
    var movieTimescale: Int64
    var edits: [MovieTrack.Edit]
    var tag: ITunesGaplessTag?
    /// Priming without an edit list.
    var defaultPriming: Int
    /// The edit was made before all fragments were known, so where it ends means nothing.
    var ignoresEditEnd = false

    /// In frames; a longer one is not believed: 2^31 frames are three hours at 192 kHz.
    private static let largestPriming: Int64 = 1 << 31

    /// Larger values are neither believed nor used in sums.
    static let largestFrameCount: Int64 = 1 << 48

    /// Returns the audible part of a track whose samples are all known.
    /// - Parameters:
    ///   - mediaFrameCount: sum of the samples' times.
    ///   - decoded: frames that the decoder outputs.
    func table(mediaFrameCount: Int64, decoded: Int64) -> AudioPacketTableInfo {
        if let tag = fittingTag(decoded) {
            let priming = min(tag.primingFrameCount, decoded)
            let valid = min(tag.validFrameCount, decoded - priming)
            return info(priming: priming, valid: valid, decoded: decoded)
        }
        let mediaEnd = min(mediaFrameCount, decoded)
        let priming = min(self.priming, decoded)
        var end = mediaEnd
        if let edited = editedEnd, edited < mediaEnd - framesPerMovieUnit { end = edited }
        return info(priming: priming, valid: max(0, end - priming), decoded: decoded)
    }

    /// Returns the audible part of a track whose samples come in fragments.
    /// - Parameter fragmentDuration: of all fragments, in units of the movie's timescale; 0 if unknown.
    func fragmentedTable(fragmentDuration: Int64) -> AudioPacketTableInfo {
        if let tag {
            return AudioPacketTableInfo(
                validFrameCount: tag.validFrameCount, primingFrameCount: Int(tag.primingFrameCount),
                remainderFrameCount: Int(tag.remainderFrameCount))
        }
        let announced = editedEnd.map { $0 - priming } ?? frames(fragmentDuration, per: movieTimescale)
        let valid = announced > 0 && announced <= Self.largestFrameCount ? announced : nil
        return AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: Int(priming), remainderFrameCount: 0)
    }

    private func info(priming: Int64, valid: Int64, decoded: Int64) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: Int(priming),
            remainderFrameCount: Int(clamping: decoded - priming - valid))
    }

    /// Returns the tag in frames of the decoder's output: HE-AAC encoders may count those of the core, half as many.
    /// Nil without a tag, or if its priming is all there is.
    private func fittingTag(_ decoded: Int64) -> ITunesGaplessTag? {
        guard let tag else { return nil }
        if tag.totalFrameCount != decoded, tag.scaled(by: 2).totalFrameCount == decoded { return tag.scaled(by: 2) }
        return tag.primingFrameCount < decoded ? tag : nil
    }

    /// The first edit that is no silence.
    private var edit: MovieTrack.Edit? { edits.first { $0.mediaTime >= 0 } }

    /// Whether the edits say more than where the song begins and ends.
    var hasUnfollowedEdits: Bool {
        let played = edits.filter { $0.mediaTime >= 0 }
        return played.count > 1 || played.contains { !$0.isAtFullSpeed }
    }

    /// Frames before the first audible one, by the edit list or else the codec's default.
    var priming: Int64 {
        guard let edit else { return Int64(defaultPriming) }
        let frames = frames(edit.mediaTime, per: mediaTimescale)
        return frames <= Self.largestPriming ? frames : 0
    }

    /// The frame of the media behind the edit; nil if unknown, or not followed.
    var editedEnd: Int64? {
        guard !ignoresEditEnd, !hasUnfollowedEdits, movieTimescale > 0, let edit, edit.duration > 0 else { return nil }
        let end = frames(edit.mediaTime, per: mediaTimescale)
            .addingReportingOverflow(frames(edit.duration, per: movieTimescale))
        return end.overflow || end.partialValue <= priming ? nil : end.partialValue
    }

    /// Whether the edit of a fragmented movie ends after the samples in `moov`: then its writer knew the fragments.
    /// - Parameter describedFrameCount: frames of the samples in `moov`.
    func editEnds(after describedFrameCount: Int64) -> Bool {
        guard let end = editedEnd else { return false }
        return end - priming - framesPerMovieUnit > describedFrameCount
    }

    /// Frames in one unit of the movie's timescale, rounded up; none where every frame is a whole number of units.
    var framesPerMovieUnit: Int64 {
        let rate = Int64(sampleRate.rounded())
        guard movieTimescale > 0, rate > 0, !movieTimescale.isMultiple(of: rate) else { return 0 }
        return (rate - 1) / movieTimescale + 1
    }

    /// Converts a time, which must not be negative, to frames, rounded to the nearest.
    func frames(_ time: Int64, per timescale: Int64) -> Int64 {
        guard timescale > 0 else { return 0 }
        let product = Int128(time) * Int128(sampleRate.rounded())
        return Int64(clamping: (product + Int128(timescale / 2)) / Int128(timescale))
    }
}
