import AudioCore

// Granules count frames in the codec's own time: a page's is that of the frame behind the last packet that ends there.
// What packets hold in front of granule 0 is not heard (Vorbis I appendix A.2, RFC 7845 section 4.3); so the first page's
// granule, less the frames that end on it, tells where the stream starts: at zero, or later in what was cut out of a
// longer one, or before. The granule of the last page may cut off its end. Opus's pre-skip is counted by granules, and
// comes on top.

/// Where a stream starts, stands and ends.
struct OggClock {
    /// Frames that come out of the decoder before the song: Vorbis's first packet, Opus's pre-skip, what is before 0.
    private(set) var priming = 0
    /// The granule of the first frame behind all that is primed, pre-skip apart.
    private(set) var start: Int64 = 0
    private var preSkip = 0
    /// Frames given so far, priming included.
    private(set) var decoded: Int64 = 0
    /// The granule behind the last packet.
    private var position: Int64 = 0
    private(set) var remainder = 0

    /// - Parameters:
    ///   - frameCount: of the packets that end on the first page with audio.
    ///   - nominal: frames of a first packet that give nothing, not in `frameCount`.
    mutating func open(granule: Int64?, frameCount: Int, isLast: Bool, nominal: Int, preSkip: Int) {
        self.preSkip = preSkip
        let before = setPosition(granule: granule, frameCount: frameCount, isLast: isLast)
        start = position + before
        priming = nominal + preSkip + (before <= Limits.packetFrameCount ? Int(before) : 0)
    }

    /// By the first page with audio.
    /// - Returns: frames before granule 0. What claims to be primed by more than a packet or two is not to be believed.
    private mutating func setPosition(granule: Int64?, frameCount: Int, isLast: Bool) -> Int64 {
        let lead = (granule ?? Int64(frameCount)) - Int64(frameCount)
        // A page that is first and last cuts its end, not its beginning.
        let before = isLast ? 0 : max(0, -lead)
        position = max(0, lead) - before
        return before
    }

    /// From the first packet once more.
    mutating func rewind() {
        decoded = 0
        remainder = 0
        position = start
    }

    /// A further stream goes on with the song: its first page with audio is next, and its granules begin anew.
    /// - Returns: frames of it that are not heard, as `priming` counts them for the first.
    mutating func openLink(granule: Int64?, frameCount: Int, isLast: Bool, nominal: Int, preSkip: Int) -> Int {
        remainder = 0
        let before = setPosition(granule: granule, frameCount: frameCount, isLast: isLast)
        return nominal + preSkip + (before <= Limits.packetFrameCount ? Int(before) : 0)
    }

    /// What the granule of a link's last page, which is next, cuts off.
    func excess(granule: Int64?, frameCount: Int) -> Int {
        guard let granule else { return 0 }
        return Int(clamping: max(0, min(position + Int64(frameCount) - granule, Int64(frameCount))))
    }

    mutating func count(_ frameCount: Int) { decoded += Int64(frameCount) }

    /// A page went by.
    mutating func pass(granule: Int64?) {
        if let granule { position = granule }
    }

    /// The stream's last page is next: says what its granule cuts off.
    mutating func end(granule: Int64?, frameCount: Int) {
        guard let granule else { return }
        let excess = position + Int64(frameCount) - granule
        remainder = Int(clamping: max(0, min(excess, decoded + Int64(frameCount) - Int64(priming))))
    }

    /// By what the file's last granule says.
    func table(lastGranule: Int64?, remainder: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: lastGranule.map { max(0, $0 - start - Int64(preSkip)) }, primingFrameCount: priming,
            remainderFrameCount: lastGranule == nil ? 0 : remainder)
    }

    /// By what was given, and `frameCount` that will be.
    func table(adding frameCount: Int = 0) -> AudioPacketTableInfo {
        let heard = max(0, decoded + Int64(frameCount) - Int64(priming) - Int64(remainder))
        return AudioPacketTableInfo(
            validFrameCount: heard, primingFrameCount: priming, remainderFrameCount: remainder)
    }
}
