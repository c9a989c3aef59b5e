// Movie fragments (ISO/IEC 14496-12 section 8.8): each `moof` box describes samples of its own, in runs (`trun`) of
// consecutive bytes. Only one fragment is held at a time.

/// Defaults for a track's samples that a fragment may override: `trex` (8.8.3).
struct TrackDefaults: Equatable {
    var track: UInt32
    var duration: UInt32
    var byteCount: UInt32

    /// - Parameter body: including version and flags.
    init?(_ body: [UInt8]) {
        guard body.count >= 24 else { return nil }
        let bytes = body.span.bytes
        track = bytes.bigEndian32(at: 4)
        duration = bytes.bigEndian32(at: 12)
        byteCount = bytes.bigEndian32(at: 16)
    }
}

/// The runs of one track in one `moof`, and a cursor to the next packet in them. Reuses its storage for one fragment
/// after the other.
struct Fragment: SampleCursor {
    private struct Run {
        var offset: Int64
        var sampleCount: Int64
        /// Where the run's entries begin in ``Fragment/entries``, and their size; 0 if all samples are equal.
        var entryOffset: Int
        var entryByteCount: Int
        var hasDurations: Bool
        var hasSizes: Bool
        var duration: Int64
        var byteCount: Int64
    }

    /// Offset of its `moof` in the file.
    private(set) var offset: Int64 = 0
    private var runs: [Run] = []
    private var entries: [UInt8] = []

    // State of the `traf` being read.
    private var isOurs = false
    private var defaults: TrackDefaults?
    /// Where the next run without an offset of its own begins.
    private var nextOffset: Int64 = 0
    private var baseOffset: Int64 = 0

    // State of the playback.
    var blocks: BlockLayout?
    var extent = SampleExtent(offset: 0, sampleCount: 0, byteCount: 0)
    /// Index of the open run.
    private var run = -1
    private var sample: Int64 = 0

    /// Whether it contains no samples of the track.
    var isEmpty: Bool { runs.isEmpty }

    var entryByteCount: Int { entries.count }

    /// Resets everything at the start of a `moof`.
    mutating func restart(at offset: Int64) {
        self.offset = offset
        (nextOffset, baseOffset) = (offset, offset)
        runs.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        (run, sample) = (-1, 0)
        dropExtent()
    }

    /// Reads `tfhd` (8.8.7).
    mutating func begin(_ body: [UInt8], track: UInt32, defaults all: [TrackDefaults]) {
        guard body.count >= 8 else { return }
        let bytes = body.span.bytes
        let flags = bytes.bigEndian32(at: 0)
        let id = bytes.bigEndian32(at: 4)
        isOurs = id == track
        var defaults = all.first { $0.track == id }
        var place = 8
        func field() -> UInt32? {
            guard body.count - place >= 4 else { return nil }
            place += 4
            return body.span.bytes.bigEndian32(at: place - 4)
        }
        // Without a base offset, a track's data follow those of the previous track; with `default-base-is-moof`, and
        // for the first track, offsets count from the `moof`.
        baseOffset = flags & 0x2_0000 != 0 ? offset : nextOffset
        if flags & 1 != 0, body.count >= 16 {
            baseOffset = Int64(clamping: bytes.bigEndian64(at: 8))
            place = 16
        }
        if flags & 2 != 0 { _ = field() }
        if flags & 8 != 0, let duration = field() { defaults = defaults.changed(track: id) { $0.duration = duration } }
        if flags & 0x10 != 0, let count = field() { defaults = defaults.changed(track: id) { $0.byteCount = count } }
        self.defaults = defaults
        nextOffset = baseOffset
    }

    /// Reads `trun` (8.8.8).
    mutating func add(_ body: [UInt8]) {
        guard body.count >= 8, runs.count < AudioFileStreamLimits.fragmentRunCount else { return }
        let bytes = body.span.bytes
        let flags = bytes.bigEndian32(at: 0)
        var place = 8
        if flags & 1 != 0, body.count - place >= 4 {
            nextOffset = baseOffset &+ Int64(Int32(bitPattern: bytes.bigEndian32(at: place)))
            place += 4
        }
        if flags & 4 != 0 { place += 4 }
        guard place <= body.count else { return }
        let entryByteCount = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (flags & $1 != 0 ? 4 : 0) }
        var count = Int64(bytes.bigEndian32(at: 4))
        if entryByteCount > 0 { count = min(count, Int64(max(0, body.count - place) / entryByteCount)) }
        var run = Run(
            offset: nextOffset, sampleCount: count, entryOffset: entries.count, entryByteCount: entryByteCount,
            hasDurations: flags & 0x100 != 0, hasSizes: flags & 0x200 != 0, duration: Int64(defaults?.duration ?? 0),
            byteCount: Int64(defaults?.byteCount ?? 0))
        if entryByteCount > 0 { entries += body[place..<(place + Int(count) * entryByteCount)] }
        nextOffset &+= byteCount(of: run)
        dropEmptySamples(of: &run)
        if isOurs, run.sampleCount > 0 { runs.append(run) } else { entries.removeSubrange(run.entryOffset...) }
    }

    /// Removes samples without bytes, which are not packets, however many of them are announced.
    private mutating func dropEmptySamples(of run: inout Run) {
        guard run.hasSizes else {
            if run.byteCount == 0 { run.sampleCount = 0 }
            return
        }
        var end = run.entryOffset
        for sample in 0..<run.sampleCount where size(ofSample: sample, in: run) > 0 {
            let start = run.entryOffset + Int(sample) * run.entryByteCount
            if start > end {
                for index in 0..<run.entryByteCount { entries[end + index] = entries[start + index] }
            }
            end += run.entryByteCount
        }
        run.sampleCount = Int64((end - run.entryOffset) / run.entryByteCount)
        entries.removeSubrange(end...)
    }

    /// Returns the bytes of all samples of a run.
    private func byteCount(of run: Run) -> Int64 {
        guard run.hasSizes else { return Int64(clamping: UInt64(run.sampleCount) &* UInt64(run.byteCount)) }
        return (0..<run.sampleCount).reduce(0) { $0 + size(ofSample: $1, in: run) }
    }

    @inline(__always)
    private func size(ofSample sample: Int64, in run: Run) -> Int64 {
        guard run.hasSizes else { return run.byteCount }
        let place = run.entryOffset + Int(sample) * run.entryByteCount + (run.hasDurations ? 4 : 0)
        return Int64(entries.span.bytes.bigEndian32(at: place))
    }

    @inline(__always)
    private func duration(ofSample sample: Int64, in run: Run) -> Int64 {
        guard run.hasDurations else { return run.duration }
        return Int64(entries.span.bytes.bigEndian32(at: run.entryOffset + Int(sample) * run.entryByteCount))
    }

    // MARK: Playing

    @inline(__always)
    var sampleByteCount: Int64 { size(ofSample: sample, in: runs[run]) }
    @inline(__always)
    var sampleDuration: Int64 { duration(ofSample: sample, in: runs[run]) }

    @inline(__always)
    mutating func didPass(samples count: Int64) { sample += count }

    @inline(__always)
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout) {}

    mutating func dropExtent() { extent = SampleExtent(offset: 0, sampleCount: 0, byteCount: 0) }

    var hasEqualSizes: Bool { blocks != nil || run < 0 || !runs[run].hasSizes }

    mutating func openExtent() -> Bool {
        guard run + 1 < runs.count else { return false }
        run += 1
        sample = 0
        let next = runs[run]
        extent = SampleExtent(offset: next.offset, sampleCount: next.sampleCount, byteCount: 0)
        if let blocks {
            let bytes = byteCount(of: next)
            extent.byteCount = bytes - bytes % blocks.bytesPerBlock
        }
        return true
    }
}

extension TrackDefaults? {
    fileprivate func changed(track: UInt32, _ change: (inout TrackDefaults) -> Void) -> TrackDefaults {
        var defaults = self ?? TrackDefaults(track: track)
        change(&defaults)
        return defaults
    }
}

extension TrackDefaults {
    fileprivate init(track: UInt32) {
        self.track = track
        duration = 0
        byteCount = 0
    }
}
