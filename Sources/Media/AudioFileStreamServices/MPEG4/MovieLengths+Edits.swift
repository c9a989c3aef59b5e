// An edit list (ISO/IEC 14496-12 section 8.6.6) says which stretches of the media are heard, one after another. What
// comes out is what one had who decoded all of the media and put those stretches together: exact to the frame, where
// the list's times are. An edit begins at a media time, in the media's own units, most often frames. How long it is, is
// said in the movie's, which may be thousandths of a second; each length is rounded to frames by itself. An edit without
// a media time is silence, as is one at speed 0, which holds a picture.
//
// Edits that go on where the one before ended are one stretch. Ends that lie as near to a beginning, or to the media's
// end, as the units allow are meant to be there.

/// What an edit list plays next.
struct EditedStretch: Equatable {
    /// Of the media.
    var frames: Range<Int64>
    /// Frames of silence in front of them.
    var silence: Int64 = 0
}

extension MovieLengths {
    /// What of the media is heard.
    enum Editing: Equatable {
        /// From where the earliest edit begins to where the latest ends; without a list all.
        case plain
        /// Of several edits one is left.
        case one(Range<Int64>)
        case several([EditedStretch])
        /// At another speed.
        case unfollowed
    }

    /// - Parameter mediaEnd: frames of the media; ``unknownEnd`` where that is not known.
    func editing(upTo mediaEnd: Int64) -> Editing {
        guard movieTimescale > 0 else { return hasUnfollowedEdits ? .unfollowed : .plain }
        guard edits.count(where: { $0.mediaTime >= 0 }) > 1 else { return .plain }
        guard let first = edits.firstIndex(where: { !$0.isSilent }), let last = edits.lastIndex(where: { !$0.isSilent })
        else { return .unfollowed }
        guard let stretches = stretches(of: edits[first...last], upTo: mediaEnd) else { return .unfollowed }
        if stretches.count <= 1 {
            guard let stretch = stretches.first?.frames else { return .plain }
            return stretch.lowerBound <= Self.largestPriming ? .one(stretch) : .plain
        }
        return stretches[0].frames.lowerBound <= Self.largestPriming ? .several(stretches) : .unfollowed
    }

    /// Of edits the first and the last of which are no silence; nil if one is at another speed, or ends nowhere.
    private func stretches(of edits: ArraySlice<MovieTrack.Edit>, upTo mediaEnd: Int64) -> [EditedStretch]? {
        let tolerance = tolerance
        var stretches: [EditedStretch] = []
        var silence: Int64 = 0
        var expected = Int64.min
        for (index, edit) in zip(edits.indices, edits) {
            guard !edit.isSilent else {
                let sum = silence.addingReportingOverflow(frames(edit.duration, per: movieTimescale))
                guard !sum.overflow else { return nil }
                silence = sum.partialValue
                continue
            }
            guard edit.speed == .full else { return nil }
            // Only the last one may mean "to the end".
            guard edit.duration > 0 || index == edits.endIndex - 1 else { continue }
            let start = frames(edit.mediaTime, per: mediaTimescale)
            let isToTheEnd = edit.duration == 0 || isOpenEnded && index == edits.endIndex - 1
            guard let end = isToTheEnd ? max(start, mediaEnd) : end(of: edit) else { return nil }
            let heardEnd = end >= mediaEnd - tolerance ? mediaEnd : end
            if let stretch = stretches.last?.frames, silence == 0, start >= stretch.lowerBound,
                expected >= start - tolerance, expected <= start + tolerance
            {
                stretches[stretches.count - 1].frames = stretch.lowerBound..<max(stretch.upperBound, heardEnd)
            } else if start < heardEnd {
                stretches.append(EditedStretch(frames: start..<heardEnd, silence: stretches.isEmpty ? 0 : silence))
                silence = 0
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
