/// One packet's place in the file.
struct SamplePlace: Equatable {
    var offset: Int64
    var byteCount: Int64
    /// Media time; of linear PCM and its like frames.
    var duration: Int64
}

/// How a codec with blocks of a fixed size, linear PCM say, is cut into packets.
struct BlockLayout: Equatable {
    var bytesPerBlock: Int64
    var framesPerBlock: Int64
    var blocksPerPacket: Int64

    var bytesPerPacket: Int64 { bytesPerBlock * blocksPerPacket }
}

/// Bytes that lie one after the other: a chunk of the sample table, or a run of a fragment.
struct SampleExtent {
    /// Of the next packet in the file.
    var offset: Int64
    /// Samples to come.
    var sampleCount: Int64
    /// Bytes to come, only where they are cut into blocks.
    var byteCount: Int64

    /// The next packet of blocks.
    func place(_ blocks: BlockLayout) -> SamplePlace {
        let bytes = min(byteCount, blocks.bytesPerPacket)
        return SamplePlace(
            offset: offset, byteCount: bytes, duration: bytes / blocks.bytesPerBlock * blocks.framesPerBlock)
    }
}

/// Goes through packets, in the order in which they are played: those of a table or of a fragment, which differ in
/// where they find the bytes that lie one after the other.
protocol SampleCursor {
    /// How packets are cut; nil where each sample is one. None of those is empty.
    var blocks: BlockLayout? { get }
    /// What lies one after the other.
    var extent: SampleExtent { get set }
    /// Of the extent's next sample.
    var sampleByteCount: Int64 { get }
    /// Of the extent's next sample, in media time.
    var sampleDuration: Int64 { get }
    /// Whether the packets of the extent have one size. There may be as many of them as a number says.
    var hasEqualSizes: Bool { get }
    /// Opens the next extent; false after the last.
    mutating func openExtent() -> Bool
    /// Samples of the extent have been passed.
    mutating func didPass(samples: Int64)
    /// A packet of blocks was passed.
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout)
    /// Passes what is left of the extent.
    mutating func dropExtent()

    // These two are the same for all, and part of the protocol so that there is a version made for each.

    /// The next packet; nil after the last.
    mutating func next() -> SamplePlace?
    /// Passes the packet that ``next()`` gave.
    mutating func pass(_ place: SamplePlace)
}

extension SampleCursor {
    @inline(__always)
    mutating func next() -> SamplePlace? {
        while true {
            if let blocks {
                if extent.byteCount > 0 { return extent.place(blocks) }
            } else if extent.sampleCount > 0 {
                return SamplePlace(offset: extent.offset, byteCount: sampleByteCount, duration: sampleDuration)
            }
            guard openExtent() else { return nil }
        }
    }

    @inline(__always)
    mutating func pass(_ place: SamplePlace) {
        extent.offset &+= place.byteCount
        if let blocks {
            extent.byteCount -= place.byteCount
            didPass(place, of: blocks)
        } else {
            extent.sampleCount -= 1
            didPass(samples: 1)
        }
    }
}
