import AudioCore

/// The splices of a chain: which packets are heard where one link ends and another begins.
struct OggChain {
    /// A link whose first page with audio is still to come.
    var opening: (preSkip: Int, place: OggSeekIndex.Place)?
    private(set) var splice: OggSplice?
    /// Frames that the page may still output, if it is the last of a link and another link follows.
    private var allowance: Int?
    /// The end of the audible frames on such pages, by page offset. After a seek to such a page, the page before it was
    /// not parsed.
    private var ends: [Int64: Int64] = [:]

    private static let largestEndCount = 1_024

    var silentFrameCount: Int { splice?.silentFrameCount ?? 0 }

    mutating func begin(preSkip: Int, at place: OggSeekIndex.Place) {
        splice = nil
        opening = (preSkip, place)
    }

    mutating func open(droppedFrameCount: Int, at place: OggSeekIndex.Place, byteCountLimit: Int) {
        guard droppedFrameCount > 0 else { return }
        splice = OggSplice(droppedFrameCount: droppedFrameCount, at: place, byteCountLimit: byteCountLimit)
    }

    /// - Parameters:
    ///   - frameCount: what the page outputs, limited by its granule position.
    ///   - frame: the first frame of the next packet, if known.
    mutating func end(frameCount: Int, at byteOffset: Int64, frame: Int64?) {
        allowance = frameCount
        guard let frame else { return }
        if let end = ends[byteOffset] {
            allowance = Int(clamping: max(0, end - frame))
        } else if ends.count < Self.largestEndCount {
            ends[byteOffset] = frame + Int64(frameCount)
        }
    }

    mutating func endPage() { allowance = nil }

    /// Returns how much of a packet is heard, and how much of it must be decoded for that; nil if all of it is cut off.
    mutating func heardFrameCount(of frameCount: Int) -> (heard: Int, decoded: Int)? {
        let silent = min(frameCount, silentFrameCount)
        guard let allowance else { return (frameCount - silent, frameCount) }
        let heard = min(frameCount - silent, allowance)
        guard heard > 0 || silent == frameCount else { return nil }
        self.allowance = allowance - heard
        return (heard, silent + heard)
    }

    /// Adds a packet to the splice.
    /// - Returns: the splice and its place, once it is complete.
    mutating func join(_ packet: RawSpan, frameCount: Int) -> ([UInt8], OggSeekIndex.Place)? {
        guard let bytes = splice?.add(packet, frameCount: frameCount), let place = splice?.place else { return nil }
        splice = nil
        return (bytes, place)
    }

    mutating func skipGap() {
        splice = nil
        opening = nil
        allowance = nil
    }
}
