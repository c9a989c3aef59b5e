import AudioCore

// The sample tables of a track (ISO/IEC 14496-12 sections 8.6.1.2, 8.7.3 to 8.7.5), kept as in the file: a day of AAC
// has four million packets, and four bytes for each are less than any struct. Playback iterates over them with a
// ``SampleTableCursor``; a seek starts one at the beginning and advances it.

/// Where a track's samples lie. A sample in the format's terms is a packet, except for linear PCM and similar codecs,
/// where QuickTime calls a frame a sample.
struct SampleTable {
    /// Bytes of all tables, as in the file.
    private(set) var byteCount = 0

    private static let largestConstantSize: Int64 = 1 << 24

    // The bodies of `stsz` or `stz2`, `stco` or `co64`, `stsc` and `stts`, each with version and flags. Their counts of
    // entries never exceed what is there.

    private var sizes: [UInt8] = []
    private var sizeBits = 32
    /// 0 if sizes vary.
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

    /// Takes the body of one of the tables, including version and flags. Announced entries that are missing do not
    /// count.
    mutating func take(_ type: BoxType, _ body: [UInt8]) {
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

    /// Returns the number of entries of a table: as announced at `offset`, or as far as there are bytes.
    private static func count(_ body: [UInt8], at offset: Int, entryByteCount: Int) -> Int {
        min(Int(body.span.bytes.bigEndian32(at: offset)), (body.count - offset - 4) / entryByteCount)
    }

    private mutating func takeSizes(_ body: [UInt8]) {
        guard body.count >= 12 else { return }
        sizes = body
        sizeBits = 32
        constantSize = Int64(body.span.bytes.bigEndian32(at: 4))
        // No packet is larger; so sums cannot overflow.
        guard constantSize <= Self.largestConstantSize else {
            constantSize = 0
            sampleCount = 0
            return
        }
        sampleCount =
            constantSize > 0
            ? Int64(body.span.bytes.bigEndian32(at: 8)) : Int64(Self.count(body, at: 8, entryByteCount: 4))
    }

    private mutating func takeCompactSizes(_ body: [UInt8]) {
        guard body.count >= 12, [4, 8, 16].contains(body[7]) else { return }
        sizes = body
        sizeBits = Int(body[7])
        constantSize = 0
        sampleCount = min(Int64(body.span.bytes.bigEndian32(at: 8)), Int64((body.count - 12) * 8 / sizeBits))
    }

    private mutating func takeOffsets(_ body: [UInt8], byteCount: Int) {
        chunkOffsets = body
        chunkOffsetByteCount = byteCount
        chunkCount = Self.count(body, at: 4, entryByteCount: byteCount)
    }

    /// Runs of chunks must ascend; at the first that does not, the previous run extends to the end.
    private mutating func dropUnorderedRuns() {
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

    /// Removes samples without bytes from all tables: they are not packets, and the remaining samples are numbered like
    /// packets.
    /// - Throws: if runs of equal chunks break up so much that the tables exceed their limit.
    mutating func dropEmptySamples() throws(AudioStreamError) {
        guard !isEmpty, constantSize == 0, nonEmptyCount(0..<sampleCount) < sampleCount else { return }
        try dropEmptySamplesFromChunks()
        var sample: Int64 = 0
        for run in 0..<timeRunCount {
            let end = min(sampleCount, sample + timeRun(run).sampleCount)
            timeRuns.put(bigEndian32: nonEmptyCount(sample..<end), at: 8 + 8 * run)
            sample = end
        }
        var count: Int64 = 0
        for sample in 0..<sampleCount where size(ofSample: sample) > 0 {
            putSize(size(ofSample: sample), ofSample: count)
            count += 1
        }
        sampleCount = count
    }

    private mutating func dropEmptySamplesFromChunks() throws(AudioStreamError) {
        var runs = [UInt8](repeating: 0, count: 8)
        var (run, sample, last) = (0, Int64(0), Int64(-1))
        for chunk in 0..<chunkCount where sample < sampleCount {
            while run + 1 < chunkRunCount, firstChunk(ofRun: run + 1) <= chunk { run += 1 }
            let end = min(sampleCount, sample + samplesPerChunk(ofRun: run))
            let count = nonEmptyCount(sample..<end)
            sample = end
            guard count != last else { continue }
            last = count
            guard byteCount + runs.count < AudioFileStreamLimits.sampleTableByteCount else { throw .largeSampleTable }
            runs += [UInt8](repeating: 0, count: 12)
            runs.put(bigEndian32: Int64(chunk + 1), at: runs.count - 12)
            runs.put(bigEndian32: count, at: runs.count - 8)
        }
        chunkRuns = runs
        chunkRunCount = (runs.count - 8) / 12
    }

    /// Returns how many of these samples have bytes.
    private func nonEmptyCount(_ samples: Range<Int64>) -> Int64 {
        samples.reduce(0) { $0 + (size(ofSample: $1) > 0 ? 1 : 0) }
    }

    private mutating func putSize(_ size: Int64, ofSample sample: Int64) {
        let index = Int(sample)
        switch sizeBits {
        case 32: sizes.put(bigEndian32: size, at: 12 + 4 * index)
        case 16: (sizes[12 + 2 * index], sizes[13 + 2 * index]) = (UInt8(size >> 8), UInt8(size & 0xFF))
        case 8: sizes[12 + index] = UInt8(size)
        default:
            let shift = index % 2 == 0 ? 4 : 0
            sizes[12 + index / 2] = sizes[12 + index / 2] & ~(15 << shift) | UInt8(size) << shift
        }
    }

    // MARK: Reading (callers check indices)

    /// Returns the size of a sample.
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

    /// Returns the offset of a chunk in the file; may be any number.
    func offset(ofChunk chunk: Int) -> Int64 {
        guard chunkOffsetByteCount == 8 else { return Int64(chunkOffsets.bigEndian32(at: 8 + 4 * chunk)) }
        let high = UInt64(chunkOffsets.bigEndian32(at: 8 + 8 * chunk))
        // Saturated: beyond the end of any file.
        return Int64(clamping: high << 32 | UInt64(chunkOffsets.bigEndian32(at: 12 + 8 * chunk)))
    }

    /// Returns a run's first chunk, counted from 0; the file counts from 1.
    func firstChunk(ofRun run: Int) -> Int {
        run == 0 ? 0 : Int(chunkRuns.bigEndian32(at: 8 + 12 * run)) - 1
    }

    func samplesPerChunk(ofRun run: Int) -> Int64 {
        Int64(chunkRuns.bigEndian32(at: 12 + 12 * run))
    }

    /// Returns a run of samples with the same media time.
    func timeRun(_ run: Int) -> (sampleCount: Int64, duration: Int64) {
        (Int64(timeRuns.bigEndian32(at: 8 + 8 * run)), Int64(timeRuns.bigEndian32(at: 12 + 8 * run)))
    }
}

extension AudioStreamError {
    /// The error for tables that exceed their limit.
    static var largeSampleTable: AudioStreamError {
        .unsupportedDataFormat(
            "an MPEG-4 packet table of more than \(AudioFileStreamLimits.sampleTableByteCount >> 20) MiB")
    }
}
