// An edit list (ISO/IEC 14496-12 section 8.6.6) says which stretches of the media are heard, one after another. What
// comes out is what one had who decoded all of the media and put those stretches together: exact to the frame, where
// the list's times are. An edit begins at a media time, in the media's own units, most often frames. How long it is, is
// said in the movie's, which may be thousandths of a second; each length is rounded to frames by itself.
//
// Edits that go on where the one before ended are one stretch. Ends that lie as near to a beginning, or to the media's
// end, as the units allow are meant to be there.

extension MovieLengths {
    /// What of the media is heard.
    enum Editing: Equatable {
        /// From where the earliest edit begins to where the latest ends; without a list all.
        case plain
        /// Of several edits one is left.
        case one(Range<Int64>)
        case several([Range<Int64>])
        /// Silence between, or another speed.
        case unfollowed
    }

    /// - Parameter mediaEnd: frames of the media.
    func editing(upTo mediaEnd: Int64) -> Editing {
        guard !isFragmented, movieTimescale > 0 else { return hasUnfollowedEdits ? .unfollowed : .plain }
        guard let first = edits.firstIndex(where: { $0.mediaTime >= 0 }),
            let last = edits.lastIndex(where: { $0.mediaTime >= 0 }), first < last
        else { return .plain }
        guard let stretches = stretches(of: edits[first...last], upTo: mediaEnd) else { return .unfollowed }
        if stretches.count <= 1 {
            guard let stretch = stretches.first else { return .plain }
            return stretch.lowerBound <= Self.largestPriming ? .one(stretch) : .plain
        }
        let isBelieved = stretches[0].lowerBound <= Self.largestPriming
        return isBelieved && edits[first...last].allSatisfy(\.isAtFullSpeed) ? .several(stretches) : .unfollowed
    }

    /// Of edits the first and the last of which are no silence; nil if one between is.
    private func stretches(of edits: ArraySlice<MovieTrack.Edit>, upTo mediaEnd: Int64) -> [Range<Int64>]? {
        let tolerance = tolerance
        var stretches: [Range<Int64>] = []
        var expected = Int64.min
        for (index, edit) in zip(edits.indices, edits) {
            guard edit.mediaTime >= 0 else {
                guard edit.duration == 0 else { return nil }
                continue
            }
            // Only the last one may mean "to the end".
            guard edit.duration > 0 || index == edits.endIndex - 1 else { continue }
            let start = frames(edit.mediaTime, per: mediaTimescale)
            guard let end = edit.duration > 0 ? end(of: edit) : max(start, mediaEnd) else { return nil }
            let heardEnd = end >= mediaEnd - tolerance ? mediaEnd : end
            if let stretch = stretches.last, start >= stretch.lowerBound, expected >= start - tolerance,
                expected <= start + tolerance
            {
                stretches[stretches.count - 1] = stretch.lowerBound..<max(stretch.upperBound, heardEnd)
            } else if start < heardEnd {
                stretches.append(start..<heardEnd)
            }
            expected = end
        }
        return stretches
    }

    /// Frames by which a time may be off in the units of the file.
    private var tolerance: Int64 {
        let rate = Int64(sampleRate.rounded())
        guard rate > 0 else { return 0 }
        let media = mediaTimescale % rate == 0 ? 0 : frames(1, per: mediaTimescale) + 1
        return media + (movieTimescale % rate == 0 ? 0 : movieUnit)
    }
}
