import AudioCore

// A granule position counts frames in the codec's own time: a page's is the end of the last packet that ends there.
// Frames before position 0 are not heard (Vorbis I appendix A.2, RFC 7845 section 4.3). So the first page's granule
// position minus the frames that end on it is the start of the stream: zero, more in an excerpt of a longer stream, or
// negative. The granule position of the last page may cut off its end. Opus's pre-skip is part of the granule positions
// and comes on top of this.

/// The start, position and end of a stream.
struct OggClock {
    /// Decoded frames before the song: Vorbis's first packet, Opus's pre-skip, frames before position 0.
    private(set) var priming = 0
    /// The granule position after the priming, not counting the pre-skip.
    private(set) var start: Int64 = 0
    private var preSkip = 0
    /// Frames output so far, including priming.
    private(set) var decoded: Int64 = 0
    /// The granule position after the last packet.
    private var position: Int64 = 0
    /// Whether ``position`` is known: not behind a seek, before a page has told it.
    private(set) var isPlaced = true
    private(set) var remainder = 0

    /// - Parameters:
    ///   - frameCount: frames of the packets that end on the first page with audio.
    ///   - nominal: frames of a first packet that outputs nothing; not included in `frameCount`.
    mutating func open(granule: Int64?, frameCount: Int, isLast: Bool, nominal: Int, preSkip: Int) {
        self.preSkip = preSkip
        let before = setPosition(granule: granule, frameCount: frameCount, isLast: isLast)
        start = position + before
        priming = nominal + preSkip + (before <= Limits.packetFrameCount ? Int(before) : 0)
    }

    /// Sets the position from the first page with audio.
    /// - Returns: frames before position 0. Callers count no more than `Limits.packetFrameCount` as priming.
    private mutating func setPosition(granule: Int64?, frameCount: Int, isLast: Bool) -> Int64 {
        let lead = (granule ?? Int64(frameCount)) - Int64(frameCount)
        // A page that is first and last cuts its end, not its beginning.
        let before = isLast ? 0 : max(0, -lead)
        position = max(0, lead) - before
        isPlaced = true
        return before
    }

    /// Goes back to before the first packet.
    mutating func rewind() {
        decoded = 0
        remainder = 0
        position = start
        isPlaced = true
    }

    /// Goes to a packet.
    /// - Parameter frame: its first frame, priming included.
    mutating func land(at frame: Int64) {
        decoded = frame
        remainder = 0
        isPlaced = false
    }

    /// Opens a further stream of the same song: its first page with audio is next, its granule positions start anew.
    /// - Returns: frames of it that are not heard, as `priming` counts them for the first stream.
    mutating func openLink(granule: Int64?, frameCount: Int, isLast: Bool, nominal: Int, preSkip: Int) -> Int {
        remainder = 0
        let before = setPosition(granule: granule, frameCount: frameCount, isLast: isLast)
        return nominal + preSkip + (before <= Limits.packetFrameCount ? Int(before) : 0)
    }

    /// Returns the frames that the granule position of a link's last page, which is next, cuts off.
    func excess(granule: Int64?, frameCount: Int) -> Int {
        guard let granule else { return 0 }
        return Int(clamping: max(0, min(position + Int64(frameCount) - granule, Int64(frameCount))))
    }

    mutating func count(_ frameCount: Int) { decoded += Int64(frameCount) }

    /// Notes a page's granule position.
    mutating func pass(granule: Int64?) {
        guard let granule else { return }
        position = granule
        isPlaced = true
    }

    /// Notes what the granule position of the stream's last page, which is next, cuts off.
    mutating func end(granule: Int64?, frameCount: Int) {
        guard let granule else { return }
        let excess = position + Int64(frameCount) - granule
        remainder = Int(clamping: max(0, min(excess, decoded + Int64(frameCount) - Int64(priming))))
    }

    /// Returns the packet table according to the file's last granule position.
    func table(lastGranule: Int64?, remainder: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: lastGranule.map { max(0, $0 - start - Int64(preSkip)) }, primingFrameCount: priming,
            remainderFrameCount: lastGranule == nil ? 0 : remainder)
    }

    /// Returns the packet table of what was output, and of `frameCount` more.
    func table(adding frameCount: Int = 0) -> AudioPacketTableInfo {
        let heard = max(0, decoded + Int64(frameCount) - Int64(priming) - Int64(remainder))
        return AudioPacketTableInfo(
            validFrameCount: heard, primingFrameCount: priming, remainderFrameCount: remainder)
    }
}
