import AudioCore

// Indexes of fragments that have not gone by.

extension MPEG4Parser {
    /// Takes a segment index that stands in front.
    /// - Parameter end: of its box in the file.
    mutating func takeIndex(_ body: [UInt8], end: Int64) {
        let isAtStart = stream.nextPacket == 0
        guard let track = movie.track, !stream.hasGap,
            var fragments = emptyIndex(
                firstPacket: stream.nextPacket, priming: isAtStart ? stream.primingFrameCount : 0),
            SegmentIndex.read(body, end: end, track: track.id, into: &fragments)
        else { return }
        announced = fragments.entries.isEmpty ? nil : fragments
    }

    /// Before the first fragment: goes to the end of the file, if an index may be there.
    mutating func seekIndex(before offset: Int64) -> Bool {
        guard let fileByteCount, randomAccess == nil, announced == nil,
            let track = movie.track, track.timescale > 0,
            let fragments = emptyIndex(firstPacket: 0, priming: stream.primingFrameCount)
        else { return false }
        randomAccess = RandomAccessIndex(
            track: track.id, timescale: track.timescale, region: offset..<max(offset, fileByteCount),
            fragments: fragments)
        mood = .indexing
        return true
    }

    /// One step there.
    mutating func readIndex(_ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool) -> Step {
        guard let wanted = randomAccess?.wanted else { return endIndex() }
        guard wanted.lowerBound == position else { return .goTo(wanted.lowerBound) }
        guard bytes.byteCount - place >= wanted.count else {
            return isAtEnd ? endIndex() : .needsMore(wanted.count)
        }
        randomAccess?.take(bytes.extracting(place..<bytes.byteCount))
        return .took(0)
    }

    /// Walks on where the first fragment is.
    private mutating func endIndex() -> Step {
        if let fragments = randomAccess?.fragments, !fragments.entries.isEmpty { announced = fragments }
        mood = .walking
        return .took(0)
    }

    /// Nil where packets are not equally long.
    private func emptyIndex(firstPacket: Int64, priming: Int64) -> AnnouncedFragments? {
        guard let entry, case .constant(let count) = entry.counting else { return nil }
        return AnnouncedFragments(
            framesPerPacket: count, sampleRate: entry.format.sampleRate, firstPacket: firstPacket, priming: priming)
    }
}
