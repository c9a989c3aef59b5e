/// The place of one packet in the file.
struct SamplePlace: Equatable {
    var offset: Int64
    var byteCount: Int64
    /// In units of the media's timescale; for linear PCM and similar codecs, in frames.
    var duration: Int64
}

/// How a codec with fixed-size blocks, such as linear PCM, is cut into packets.
struct BlockLayout: Equatable {
    var bytesPerBlock: Int64
    var framesPerBlock: Int64
    var blocksPerPacket: Int64

    var bytesPerPacket: Int64 { bytesPerBlock * blocksPerPacket }
}

/// Consecutive bytes: a chunk of the sample table, or a run of a fragment.
struct SampleExtent {
    /// Offset of the next packet in the file.
    var offset: Int64
    /// Samples still to come.
    var sampleCount: Int64
    /// Bytes still to come, only for blocks.
    var byteCount: Int64

    /// Returns the next packet of blocks.
    func nextPacket(of blocks: BlockLayout) -> SamplePlace {
        let bytes = min(byteCount, blocks.bytesPerPacket)
        return SamplePlace(
            offset: offset, byteCount: bytes, duration: bytes / blocks.bytesPerBlock * blocks.framesPerBlock)
    }
}

/// Iterates over packets in playback order: those of a table or of a fragment, which differ in where they find extents
/// of consecutive bytes.
protocol SampleCursor {
    /// How blocks are cut into packets; nil if each sample is a packet, which is then never empty.
    var blocks: BlockLayout? { get }
    /// The current range of consecutive bytes.
    var extent: SampleExtent { get set }
    /// Size of the extent's next sample.
    var sampleByteCount: Int64 { get }
    /// Duration of the extent's next sample, in units of the media's timescale.
    var sampleDuration: Int64 { get }
    /// Whether the packets of the extent have one size. Their number may be arbitrarily large.
    var hasEqualSizes: Bool { get }
    /// Makes the next extent the current one. Returns false after the last.
    mutating func openExtent() -> Bool
    /// Called after samples of the extent were passed.
    mutating func didPass(samples: Int64)
    /// Called after a packet of blocks was passed.
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout)
    /// Skips the rest of the extent.
    mutating func dropExtent()

    // The extension below implements these two for all. They are requirements so that each cursor has its own,
    // specialised version.

    /// Returns the next packet; nil after the last.
    mutating func next() -> SamplePlace?
    /// Passes the packet that ``next()`` returned.
    mutating func pass(_ place: SamplePlace)
}

extension SampleCursor {
    @inline(__always)
    mutating func next() -> SamplePlace? {
        while true {
            if let blocks {
                if extent.byteCount > 0 { return extent.nextPacket(of: blocks) }
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
