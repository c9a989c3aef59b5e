/// Iterates over the packets of a sample table.
struct SampleTableCursor: SampleCursor {
    private let table: SampleTable
    let blocks: BlockLayout?
    /// QuickTime's tables for uncompressed sound: a sample is a frame, whatever size is declared.
    private let samplesAreFrames: Bool

    var extent = SampleExtent(offset: 0, sampleCount: 0, byteCount: 0)
    /// Index of the next chunk.
    private var chunk = 0
    private var chunkRun = 0
    private var timeRun = 0
    private var timeRunRemaining: Int64 = 0
    private var duration: Int64 = 0
    /// Index of the next packet, which is a sample except for blocks.
    private var sample: Int64 = 0
    private(set) var packet: Int64 = 0
    /// Frames before the next packet; only for blocks.
    private(set) var frame: Int64 = 0

    init(_ table: SampleTable, blocks: BlockLayout?) {
        self.table = table
        self.blocks = blocks
        samplesAreFrames = table.constantSize > 0 && table.timeRunCount > 0 && table.timeRun(0).duration == 1
        findDuration()
        if timeRunRemaining == 0 { passTime(0) }
    }

    @inline(__always)
    var sampleByteCount: Int64 { table.size(ofSample: sample) }
    @inline(__always)
    var sampleDuration: Int64 { duration }

    @inline(__always)
    mutating func didPass(samples count: Int64) {
        sample += count
        packet += count
        passTime(count)
    }

    @inline(__always)
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout) {
        packet += 1
        frame += place.duration
    }

    mutating func dropExtent() {
        if let blocks {
            packet += (extent.byteCount + blocks.bytesPerPacket - 1) / blocks.bytesPerPacket
            frame += extent.byteCount / blocks.bytesPerBlock * blocks.framesPerBlock
        } else {
            didPass(samples: extent.sampleCount)
        }
        extent = SampleExtent(offset: 0, sampleCount: 0, byteCount: 0)
    }

    /// Advances to a packet that is not before this one; returns false if there is none.
    mutating func advance(toPacket target: Int64) -> Bool {
        while let place = next() {
            if packet >= target { return true }
            let left = packetsInExtent
            if target - packet >= left {
                dropExtent()
            } else if let blocks {
                let count = target - packet
                extent.offset &+= count * blocks.bytesPerPacket
                extent.byteCount -= count * blocks.bytesPerPacket
                frame += count * blocks.blocksPerPacket * blocks.framesPerBlock
                packet = target
            } else if hasEqualSizes {
                passSamples(target - packet, place.byteCount)
            } else {
                pass(place)
            }
        }
        return false
    }

    /// Advances to the packet that contains a frame; returns false if there is none. Only for blocks.
    mutating func advance(toFrame target: Int64) -> Bool {
        guard let blocks else { return false }
        while next() != nil {
            let frames = extent.byteCount / blocks.bytesPerBlock * blocks.framesPerBlock
            if target - frame >= frames {
                dropExtent()
            } else {
                return advance(toPacket: packet + (target - frame) / (blocks.blocksPerPacket * blocks.framesPerBlock))
            }
        }
        return false
    }

    /// Advances to the packet that contains a byte of the file; returns false if there is none.
    mutating func advance(toByte target: Int64) -> Bool {
        while let first = next() {
            guard target >= extent.offset, target - extent.offset < bytesInExtent else {
                dropExtent()
                continue
            }
            if let blocks {
                return advance(toPacket: packet + (target - extent.offset) / blocks.bytesPerPacket)
            }
            if hasEqualSizes { passSamples((target - first.offset) / first.byteCount, first.byteCount) }
            while let place = next(), target - place.offset >= place.byteCount { pass(place) }
            return true
        }
        return false
    }

    var hasEqualSizes: Bool { blocks != nil || table.constantSize > 0 }

    /// Packets still to come in the open chunk.
    var packetsInExtent: Int64 {
        guard let blocks else { return extent.sampleCount }
        return (extent.byteCount + blocks.bytesPerPacket - 1) / blocks.bytesPerPacket
    }

    /// Bytes still to come in the open chunk.
    var bytesInExtent: Int64 {
        blocks == nil ? byteCount(ofNext: extent.sampleCount) : extent.byteCount
    }

    // MARK: Steps

    mutating func openExtent() -> Bool {
        guard chunk < table.chunkCount, sample < table.sampleCount else { return false }
        while chunkRun + 1 < table.chunkRunCount, table.firstChunk(ofRun: chunkRun + 1) <= chunk { chunkRun += 1 }
        let count = min(table.samplesPerChunk(ofRun: chunkRun), table.sampleCount - sample)
        extent = SampleExtent(offset: table.offset(ofChunk: chunk), sampleCount: count, byteCount: 0)
        chunk += 1
        guard let blocks else { return true }
        if samplesAreFrames {
            extent.byteCount = count / blocks.framesPerBlock * blocks.bytesPerBlock
        } else {
            let bytes = byteCount(ofNext: count)
            extent.byteCount = bytes - bytes % blocks.bytesPerBlock
        }
        sample += count
        return true
    }

    private func byteCount(ofNext count: Int64) -> Int64 {
        guard table.constantSize == 0 else { return count * table.constantSize }
        return (0..<count).reduce(0) { $0 + table.size(ofSample: sample + $1) }
    }

    /// Passes samples of one size, no more than the chunk has.
    private mutating func passSamples(_ count: Int64, _ byteCount: Int64) {
        extent.offset &+= count * byteCount
        extent.sampleCount -= count
        didPass(samples: count)
    }

    @inline(__always)
    private mutating func passTime(_ count: Int64) {
        guard timeRunRemaining <= count else {
            timeRunRemaining -= count
            return
        }
        var left = count - timeRunRemaining
        repeat {
            timeRun += 1
            findDuration()
            let passed = min(left, timeRunRemaining)
            timeRunRemaining -= passed
            left -= passed
        } while timeRun < table.timeRunCount && (left > 0 || timeRunRemaining == 0)
    }

    /// Finds the duration in the run that begins here; after the last run, its duration applies to all samples.
    private mutating func findDuration() {
        guard timeRun < table.timeRunCount else {
            timeRunRemaining = .max
            return
        }
        let run = table.timeRun(timeRun)
        timeRunRemaining = run.sampleCount
        duration = run.duration
    }
}
