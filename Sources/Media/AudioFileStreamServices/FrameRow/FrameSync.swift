import AudioCore

// Twelve set bits are no signature: about one byte in 4,000 of any data looks like the start of an MPEG frame. So where
// sync is not held, a candidate counts only if the frames that it announces follow it.
//
// - At the start two further headers that belong with the first must stand exactly where the sizes say.
// - Once the stream's format is known, a candidate must belong with it and one further header must follow it.
// - A candidate with which MPEG audio changes between mono and stereo has 2 bits less in common with the stream (19
//   before). Where the last frame ended exactly, one further header makes up for them 17 bits; it may change back.
//   Elsewhere two must follow, in the new mode, so that junk is believed no more easily than without such changes.
// - Instead of a further header, the end of the file or the start of a tag will do, exactly where a frame ends. If the
//   file ends inside a later frame (truncated), the headers before must suffice, and there must be one at least.
// - AMR, which has no sync word at all, asks for six either way (`FrameHeader.resumesWithFollowers`).
// - A free-format MPEG header (bit rate index 0) does not say its size. The first header that belongs with it, at most
//   `AudioFileStreamLimits.freeFormatByteCount` on, is tried, then the next, until one is found that has another at the
//   same distance.

/// Judges whether a frame begins at a place where sync is not held.
struct FrameSync {
    enum Verdict: Equatable {
        /// A frame; of a free-format stream with its unpadded size.
        case frame(freeFormatByteCount: Int)
        case notFrame
        /// The window must reach this many bytes past the candidate.
        case needsMore(Int)
    }

    /// The stream's format if known: a header that belongs to it, in the channel mode of the last frames.
    var reference: FrameHeader?
    var freeFormatByteCount = 0
    let kinds: FrameKinds

    /// The header at a place, if the stream may go on, or begin, with it.
    func candidate(_ bytes: RawSpan, at offset: Int) -> FrameHeader? {
        guard let reference else { return FrameHeader.read(bytes, at: offset, kinds) }
        return reference.successorOfAnyChannels(bytes, at: offset)
    }

    /// - Parameter isInSync: a frame must stand at `offset`, since the last one ended there.
    func judge(
        _ header: FrameHeader, in bytes: RawSpan, at offset: Int, isInSync: Bool, isLast: Bool
    ) -> Verdict {
        guard case .mpeg(let mpeg) = header, mpeg.isFreeFormat, freeFormatByteCount == 0 else {
            return follow(
                header, in: bytes, at: offset, freeFormatByteCount: freeFormatByteCount, isInSync: isInSync,
                isLast: isLast)
        }
        return judgeFreeFormat(mpeg, in: bytes, at: offset, isLast: isLast)
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
            guard bytes[next] == 0xFF, FrameHeader.mpeg(header).successor(bytes, at: next) != nil else { continue }
            let verdict = follow(
                .mpeg(header), in: bytes, at: offset, freeFormatByteCount: size, isInSync: false, isLast: isLast)
            if verdict != .notFrame { return verdict }
        }
        return .notFrame
    }

    private func follow(
        _ first: FrameHeader, in bytes: RawSpan, at offset: Int, freeFormatByteCount size: Int, isInSync: Bool,
        isLast: Bool
    ) -> Verdict {
        let isChange = reference.map { first.changesChannels(from: $0) } ?? false
        // Headers without which neither the end nor a tag will do.
        let least = isChange && !isInSync ? 1 : 0
        let wanted = (reference == nil ? first.opensWithFollowers : first.resumesWithFollowers) + least
        var place = offset + first.byteCount(freeFormatByteCount: size)
        for found in 0..<wanted {
            guard isLast || place + RowTags.signatureByteCount <= bytes.byteCount else {
                return .needsMore(place + RowTags.signatureByteCount - offset)
            }
            if place == bytes.byteCount || RowTags.isSignature(bytes, at: place) {
                return found >= least ? .frame(freeFormatByteCount: size) : .notFrame
            }
            // The end of the file cuts the header, or came before it.
            if place + first.headerByteCount > bytes.byteCount {
                let isWhole = place < bytes.byteCount && reference != nil && least == 0
                return found > 0 || isWhole ? .frame(freeFormatByteCount: size) : .notFrame
            }
            let next =
                isChange && isInSync
                ? first.successorOfAnyChannels(bytes, at: place) : first.successor(bytes, at: place)
            guard let next else { return .notFrame }
            place += next.byteCount(freeFormatByteCount: size)
        }
        return .frame(freeFormatByteCount: size)
    }
}
