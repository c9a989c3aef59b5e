// The sample tables of a track (ISO/IEC 14496-12 sections 8.6.1.2, 8.7.3 to 8.7.5), kept as they stand in the file: a
// day of AAC has four million packets, and four bytes for each are less than any struct. Whoever plays goes through them
// with a ``SampleTableCursor``; whoever seeks begins one at the front and lets it run.

/// Where a track's samples lie. Samples are what the format calls packets, except of linear PCM and its like, where
/// QuickTime calls frames so.
final class SampleTable {
    /// Of all tables, as they stand in the file.
    private(set) var byteCount = 0

    private static let largestConstantSize: Int64 = 1 << 24

    private var sizes: [UInt8] = []
    private var sizeBits = 32
    /// 0 where sizes differ.
    private(set) var constantSize: Int64 = 0
    private(set) var sampleCount: Int64 = 0
    private var chunkOffsets: [UInt8] = []
    private var chunkOffsetByteCount = 4
    private(set) var chunkCount = 0
    private var chunkRuns: [UInt8] = []
    private(set) var chunkRunCount = 0
    private var timeRuns: [UInt8] = []
    private(set) var timeRunCount = 0

    var isEmpty: Bool { sampleCount == 0 || chunkCount == 0 || chunkRunCount == 0 }

    // MARK: Filling

    /// Takes the body of one of the tables, version and flags first. Entries that are announced but not there do not
    /// count.
    func take(_ type: BoxType, _ body: [UInt8]) {
        guard body.count >= 8 else { return }
        byteCount += body.count
        switch type {
        case .stsz: takeSizes(body)
        case .stz2: takeCompactSizes(body)
        case .stco: takeOffsets(body, byteCount: 4)
        case .co64: takeOffsets(body, byteCount: 8)
        case .stsc:
            chunkRuns = body
            chunkRunCount = Self.count(body, at: 4, entryByteCount: 12)
            dropUnorderedRuns()
        case .stts:
            timeRuns = body
            timeRunCount = Self.count(body, at: 4, entryByteCount: 8)
        default: return
        }
    }

    private static func count(_ body: [UInt8], at offset: Int, entryByteCount: Int) -> Int {
        min(Int(body.span.bytes.bigEndian32(at: offset)), (body.count - offset - 4) / entryByteCount)
    }

    private func takeSizes(_ body: [UInt8]) {
        guard body.count >= 12 else { return }
        sizes = body
        sizeBits = 32
        constantSize = Int64(body.span.bytes.bigEndian32(at: 4))
        // No packet is as large as that; and so no sum overflows.
        guard constantSize <= Self.largestConstantSize else {
            constantSize = 0
            sampleCount = 0
            return
        }
        sampleCount =
            constantSize > 0
            ? Int64(body.span.bytes.bigEndian32(at: 8)) : Int64(Self.count(body, at: 8, entryByteCount: 4))
    }

    private func takeCompactSizes(_ body: [UInt8]) {
        guard body.count >= 12, [4, 8, 16].contains(body[7]) else { return }
        sizes = body
        sizeBits = Int(body[7])
        constantSize = 0
        sampleCount = min(Int64(body.span.bytes.bigEndian32(at: 8)), Int64((body.count - 12) * 8 / sizeBits))
    }

    private func takeOffsets(_ body: [UInt8], byteCount: Int) {
        chunkOffsets = body
        chunkOffsetByteCount = byteCount
        chunkCount = Self.count(body, at: 4, entryByteCount: byteCount)
    }

    /// Runs of chunks must ascend; after the first that does not, the one before holds to the end.
    private func dropUnorderedRuns() {
        var last = 0
        for index in 0..<chunkRunCount {
            let first = firstChunk(ofRun: index)
            guard index == 0 || first > last else {
                chunkRunCount = index
                return
            }
            last = first
        }
    }

    // MARK: Reading; indices are checked by the caller

    /// Bytes of a sample.
    @inline(__always)
    func size(ofSample sample: Int64) -> Int64 {
        guard constantSize == 0 else { return constantSize }
        let index = Int(sample)
        switch sizeBits {
        case 32: return Int64(sizes.bigEndian32(at: 12 + 4 * index))
        case 16: return Int64(sizes[12 + 2 * index]) << 8 | Int64(sizes[13 + 2 * index])
        case 8: return Int64(sizes[12 + index])
        default: return Int64(sizes[12 + index / 2] >> (index % 2 == 0 ? 4 : 0) & 15)
        }
    }

    /// In the file; may be any number.
    func offset(ofChunk chunk: Int) -> Int64 {
        guard chunkOffsetByteCount == 8 else { return Int64(chunkOffsets.bigEndian32(at: 8 + 4 * chunk)) }
        let high = UInt64(chunkOffsets.bigEndian32(at: 8 + 8 * chunk))
        // What does not fit is behind the end of any file.
        return Int64(clamping: high << 32 | UInt64(chunkOffsets.bigEndian32(at: 12 + 8 * chunk)))
    }

    /// From 0 on; the file counts from 1.
    func firstChunk(ofRun run: Int) -> Int {
        run == 0 ? 0 : Int(chunkRuns.bigEndian32(at: 8 + 12 * run)) - 1
    }

    func samplesPerChunk(ofRun run: Int) -> Int64 {
        Int64(chunkRuns.bigEndian32(at: 12 + 12 * run))
    }

    /// How many samples take how much media time each.
    func timeRun(_ run: Int) -> (sampleCount: Int64, duration: Int64) {
        (Int64(timeRuns.bigEndian32(at: 8 + 8 * run)), Int64(timeRuns.bigEndian32(at: 12 + 8 * run)))
    }
}

// MARK: What all of it says

extension SampleTable {
    /// Whether every chunk lies behind the one before and behind `offset`: whether it can be played as a stream.
    func isAscending(from offset: Int64) -> Bool {
        var last = offset
        for chunk in 0..<chunkCount {
            let place = self.offset(ofChunk: chunk)
            guard place >= last else { return false }
            last = place
        }
        return true
    }

    /// Media time of the first `count` samples; saturates.
    func duration(ofFirst count: Int64) -> Int64 {
        var remaining = count
        var total: Int64 = 0
        for index in 0..<timeRunCount where remaining > 0 {
            let run = timeRun(index)
            let samples = min(remaining, run.sampleCount)
            remaining -= samples
            let (time, overflows) = samples.multipliedReportingOverflow(by: run.duration)
            guard !overflows, time <= .max - total else { return .max }
            total += time
        }
        return total
    }

    /// Media time of every sample but the last; nil if they differ.
    var constantDuration: Int64? {
        guard timeRunCount > 0, timeRunCount == 1 || (timeRunCount == 2 && timeRun(1).sampleCount == 1) else {
            return nil
        }
        return timeRun(0).duration
    }

    /// The sample that media time falls into, and the time since its start.
    func sample(atTime time: Int64) -> (sample: Int64, offset: Int64) {
        var sample: Int64 = 0
        var left = time
        for index in 0..<timeRunCount {
            let run = timeRun(index)
            let (length, overflows) = run.sampleCount.multipliedReportingOverflow(by: run.duration)
            if run.duration > 0, overflows || left < length {
                return (sample + left / run.duration, left % run.duration)
            }
            sample += run.sampleCount
            left -= length
        }
        return (sample, left)
    }
}

extension SampleTable {
    struct Totals: Equatable {
        var packetCount: Int64 = 0
        var byteCount: Int64 = 0
        /// Only where blocks are cut.
        var frameCount: Int64 = 0
        /// Bytes of the largest packet.
        var largestByteCount: Int64 = 0
        /// Whether all packets but the last are equally long; only where blocks are cut.
        var isUniform = true
    }

    /// Linear in the tables.
    func totals(blocks: BlockLayout?) -> Totals {
        var totals = Totals()
        var hasPartialPacket = false
        var cursor = SampleTableCursor(self, blocks: blocks)
        while let place = cursor.next() {
            totals.largestByteCount = max(totals.largestByteCount, place.byteCount)
            if constantSize > 0 || blocks != nil {
                if hasPartialPacket { totals.isUniform = false }
                if let blocks { hasPartialPacket = cursor.bytesInExtent % blocks.bytesPerPacket != 0 }
                totals.byteCount += cursor.bytesInExtent
                cursor.dropExtent()
            } else {
                totals.byteCount += place.byteCount
                cursor.pass(place)
            }
        }
        totals.packetCount = cursor.packet
        totals.frameCount = cursor.frame
        return totals
    }
}
