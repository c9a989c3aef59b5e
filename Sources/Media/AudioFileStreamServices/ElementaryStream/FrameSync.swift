import AudioCore

// Twelve set bits are a weak signature: about one byte in 4,000 of any data looks like the start of an MPEG frame. So
// out of sync, a candidate counts only if the frames that it announces follow it.
//
// - At the start, two more headers that belong with the first must stand exactly where the sizes say.
// - Once the stream's format is known, a candidate must belong with it and one more header must follow.
// - A candidate that switches MPEG audio between mono and stereo has 2 bits less in common with the stream (17 instead
//   of 19). Where the last frame ended exactly, one more header adds 17 bits and suffices; it may switch back.
//   Elsewhere two must follow, in the new mode, so that junk is no more likely to be believed than without switches.
// - The end of the file or the start of a tag counts as a further header if it stands exactly where a frame ends. If
//   the file ends inside a later frame (truncated), the headers before it must suffice, and there must be at least one.
// - AMR, which has no sync word at all, needs six in either case (`FrameHeader.resumesWithFollowers`).
// - A free-format MPEG header (bit rate index 0) does not give its size. The search tries the first matching header
//   within `AudioFileStreamLimits.freeFormatByteCount`, then the next ones, until another follows at the same distance.

/// Decides whether a frame begins at a place when out of sync.
struct FrameSync {
    enum Verdict: Equatable {
        /// A frame; in a free-format stream with its unpadded size.
        case frame(freeFormatByteCount: Int)
        case notFrame
        /// The window must reach this many bytes past the candidate.
        case needsMore(Int)
    }

    /// A header of the stream's format, in the channel mode of the last frames; nil until the format is known.
    var reference: FrameHeader?
    var freeFormatByteCount = 0
    let kinds: FrameKinds

    /// Reads the header at a place, if the stream may begin or continue with it.
    func candidate(_ bytes: RawSpan, at offset: Int) -> FrameHeader? {
        guard let reference else { return FrameHeader.read(bytes, at: offset, kinds) }
        return reference.successorOfAnyChannels(bytes, at: offset)
    }

    /// - Parameter isInSync: the last frame ended at `offset`, so a frame must stand there.
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
        // Headers that must follow before the end or a tag counts as one.
        let least = isChange && !isInSync ? 1 : 0
        let wanted = (reference == nil ? first.opensWithFollowers : first.resumesWithFollowers) + least
        var place = offset + first.byteCount(freeFormatByteCount: size)
        for found in 0..<wanted {
            guard isLast || place + TagScanner.signatureByteCount <= bytes.byteCount else {
                return .needsMore(place + TagScanner.signatureByteCount - offset)
            }
            if place == bytes.byteCount || TagScanner.isSignature(bytes, at: place) {
                return found >= least ? .frame(freeFormatByteCount: size) : .notFrame
            }
            // The file ends within or before the header.
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
