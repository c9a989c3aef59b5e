// Samples that contain several packets. Phones write speech with one to ten AMR frames per sample (3GPP TS 26.244
// section 6.5). The sample's duration gives the number of frames; only their first bytes give their sizes, and so where
// each begins. So a seek goes to a sample's first packet.

/// How a sample is divided into packets: frames of AMR.
struct SampleBundle: Equatable {
    var isWideband: Bool

    var frameCount: Int { isWideband ? 320 : 160 }

    /// Size of the largest packet.
    var largestByteCount: Int { AMRHeader(isWideband: isWideband).largestFrameByteCount }

    /// Returns the size of the packet at `place`; nil if no packet fits before `end`.
    @inline(__always)
    func packetByteCount(_ bytes: RawSpan, at place: Int, end: Int) -> Int? {
        guard place < end else { return nil }
        let byteCount = AMRHeader.byteCount(ofFrameWith: bytes[place], isWideband: isWideband)
        return byteCount > 0 && byteCount <= end - place ? byteCount : nil
    }
}

/// Finds packets by the tables in a track whose samples are bundles.
struct BundledTable {
    var table: SampleTable
    /// Units per second of the tables' times.
    var timescale: Int64
    var sampleRate: Double
    /// Frames per packet.
    var frameCount: Int

    /// More packets per sample are not believed; keeps sums from overflowing.
    private static let largestPacketCount: Int64 = 1 << 16

    /// Returns the packets in a sample of this duration; at least one.
    func packetCount(ofTime duration: Int64) -> Int64 {
        guard timescale > 0 else { return 1 }
        let count = (Double(duration) * sampleRate / Double(timescale) / Double(frameCount)).rounded()
        return max(1, min(Int64(saturating: count), Self.largestPacketCount))
    }

    /// Returns the packets in the first samples.
    func packetCount(ofFirst sampleCount: Int64) -> Int64 {
        var clock = BundleClock(self)
        return clock.firstPacket(ofSample: sampleCount)
    }

    /// Returns the sample that contains a packet, and its first packet.
    func sample(ofPacket packet: Int64) -> (sample: Int64, firstPacket: Int64) {
        var clock = BundleClock(self)
        return clock.sample(ofPacket: packet)
    }
}

/// Finds the packets of samples by their durations. Fast for neighbouring samples.
struct BundleClock {
    let table: BundledTable
    // The run of times used last, what lies before it, and the packets in each of its samples. Samples after the last
    // run are like those in it.
    private var run = 0
    private var sample: Int64 = 0
    private var packet: Int64 = 0
    private var packetsPerSample: Int64 = 1

    init(_ table: BundledTable) {
        self.table = table
        if table.table.timeRunCount > 0 {
            packetsPerSample = table.packetCount(ofTime: table.table.timeRun(0).duration)
        }
    }

    mutating func firstPacket(ofSample target: Int64) -> Int64 {
        while target < sample { returnToRunBefore() }
        while let count = sampleCount, target - sample >= count { passRun(count) }
        return packet + (target - sample) * packetsPerSample
    }

    mutating func sample(ofPacket target: Int64) -> (sample: Int64, firstPacket: Int64) {
        while target < packet { returnToRunBefore() }
        while let count = sampleCount, (target - packet) / packetsPerSample >= count { passRun(count) }
        let samples = (target - packet) / packetsPerSample
        return (sample + samples, packet + samples * packetsPerSample)
    }

    /// Samples of the run; nil after the last.
    private var sampleCount: Int64? { run < table.table.timeRunCount ? table.table.timeRun(run).sampleCount : nil }

    private mutating func passRun(_ count: Int64) {
        sample += count
        packet += count * packetsPerSample
        run += 1
        if run < table.table.timeRunCount {
            packetsPerSample = table.packetCount(ofTime: table.table.timeRun(run).duration)
        }
    }

    private mutating func returnToRunBefore() {
        run -= 1
        let (count, duration) = table.table.timeRun(run)
        packetsPerSample = table.packetCount(ofTime: duration)
        sample -= count
        packet -= count * packetsPerSample
    }
}
