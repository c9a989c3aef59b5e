import AudioCore

// Twelve set bits are no signature: about one byte in 4,000 of any data looks like the start of an MPEG frame. So where
// sync is not held, a candidate counts only if the frames that it announces follow it.
//
// - At the start two further headers that belong with the first must stand exactly where the sizes say.
// - Once the stream's format is known, a candidate must belong with it and one further header must follow it.
// - Instead of a further header, the end of the file or the start of a tag will do, exactly where a frame ends. If the
//   file ends inside a later frame (truncated), the headers before must suffice, and there must be one at least.
// - A free-format header (bit rate index 0) does not say its size. The first header that belongs with it, at most
//   `AudioFileStreamLimits.freeFormatByteCount` on, is tried, then the next, until one is found that has another at the
//   same distance.

/// Judges whether a frame begins at a place where sync is not held.
struct MPEGSync {
    enum Verdict: Equatable {
        /// A frame; of a free-format stream with its unpadded size.
        case frame(freeFormatByteCount: Int)
        case notFrame
        /// The window must reach this many bytes past the candidate.
        case needsMore(Int)
    }

    /// The stream's format if known: a header that belongs to it.
    var reference: MPEGFrameHeader?
    var freeFormatByteCount: Int

    func judge(_ header: MPEGFrameHeader, in bytes: RawSpan, at offset: Int, isLast: Bool) -> Verdict {
        if let reference, !header.belongsWith(reference) { return .notFrame }
        guard header.isFreeFormat, freeFormatByteCount == 0 else {
            return follow(header, in: bytes, at: offset, freeFormatByteCount: freeFormatByteCount, isLast: isLast)
        }
        return judgeFreeFormat(header, in: bytes, at: offset, isLast: isLast)
    }

    private func judgeFreeFormat(
        _ header: MPEGFrameHeader, in bytes: RawSpan, at offset: Int, isLast: Bool
    ) -> Verdict {
        // Room for the largest frame and those that must follow it.
        let wanted = 3 * (AudioFileStreamLimits.freeFormatByteCount + 4) + MPEGFrameHeader.byteCount
        guard isLast || bytes.byteCount - offset >= wanted else { return .needsMore(wanted) }
        let smallest = MPEGFrameHeader.byteCount + header.sideInfoByteCount
        for size in smallest...AudioFileStreamLimits.freeFormatByteCount {
            let next = offset + size + header.paddingByteCount
            guard next < bytes.byteCount else { break }
            guard bytes[next] == 0xFF, MPEGFrameHeader(bytes, at: next)?.belongsWith(header) == true else { continue }
            let verdict = follow(header, in: bytes, at: offset, freeFormatByteCount: size, isLast: isLast)
            if verdict != .notFrame { return verdict }
        }
        return .notFrame
    }

    private func follow(
        _ first: MPEGFrameHeader, in bytes: RawSpan, at offset: Int, freeFormatByteCount size: Int, isLast: Bool
    ) -> Verdict {
        let wanted = reference == nil ? 2 : 1
        var place = offset + first.packetByteCount(freeFormatByteCount: size)
        for found in 0..<wanted {
            guard isLast || place + MPEGTags.signatureByteCount <= bytes.byteCount else {
                return .needsMore(place + MPEGTags.signatureByteCount - offset)
            }
            if place == bytes.byteCount || MPEGTags.isSignature(bytes, at: place) {
                return .frame(freeFormatByteCount: size)
            }
            // The end of the file cuts the header, or came before it.
            if place + MPEGFrameHeader.byteCount > bytes.byteCount {
                let isWhole = place < bytes.byteCount && reference != nil
                return found > 0 || isWhole ? .frame(freeFormatByteCount: size) : .notFrame
            }
            guard let next = MPEGFrameHeader(bytes, at: place), next.belongsWith(first) else { return .notFrame }
            place += next.packetByteCount(freeFormatByteCount: size)
        }
        return .frame(freeFormatByteCount: size)
    }
}
