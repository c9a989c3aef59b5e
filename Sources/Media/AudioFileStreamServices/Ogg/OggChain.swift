import AudioCore

/// Where one link of a chain ends and another begins: what of the packets there is heard.
struct OggChain {
    /// A link whose first page with audio is to come.
    var opening: (preSkip: Int, place: OggSeekIndex.Place)?
    private(set) var joint: OggJoint?
    /// Frames that the page may still give, if it is the last of a link that another follows.
    private var allowance: Int?
    /// By the offsets of such pages, the frame behind the last that is given. Whoever comes there by a seek did not see
    /// the page before.
    private var ends: [Int64: Int64] = [:]

    private static let largestEndCount = 1_024

    var silentFrameCount: Int { joint?.silentFrameCount ?? 0 }

    mutating func begin(preSkip: Int, at place: OggSeekIndex.Place) {
        joint = nil
        opening = (preSkip, place)
    }

    mutating func open(droppedFrameCount: Int, at place: OggSeekIndex.Place, byteCountLimit: Int) {
        guard droppedFrameCount > 0 else { return }
        joint = OggJoint(droppedFrameCount: droppedFrameCount, at: place, byteCountLimit: byteCountLimit)
    }

    /// - Parameters:
    ///   - frameCount: that the page gives, as far as its granule tells.
    ///   - frame: of the next packet, where that is known.
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

    /// How much of a packet is heard, and how much of it must be decoded for that; nil if it is cut off as a whole.
    mutating func heardFrameCount(of frameCount: Int) -> (heard: Int, decoded: Int)? {
        let silent = min(frameCount, silentFrameCount)
        guard let allowance else { return (frameCount - silent, frameCount) }
        let heard = min(frameCount - silent, allowance)
        guard heard > 0 || silent == frameCount else { return nil }
        self.allowance = allowance - heard
        return (heard, silent + heard)
    }

    /// Takes a packet for the joint.
    /// - Returns: the joint, when it is whole, and its place.
    mutating func join(_ packet: RawSpan, frameCount: Int) -> ([UInt8], OggSeekIndex.Place)? {
        guard let bytes = joint?.add(packet, frameCount: frameCount), let place = joint?.place else { return nil }
        joint = nil
        return (bytes, place)
    }

    mutating func skipGap() {
        joint = nil
        opening = nil
        allowance = nil
    }
}
