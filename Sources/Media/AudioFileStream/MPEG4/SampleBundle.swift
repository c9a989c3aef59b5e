// Samples that hold several packets. Phones write speech with one to ten frames of AMR in a sample (3GPP TS 26.244
// section 6.5): all of a frame's length but the number of frames in a sample is in the frames' first bytes. How many
// frames a sample has is told by its time; only the bytes tell where each begins. So a seek goes to a sample's first.

/// How a sample is cut into packets: frames of AMR.
struct SampleBundle: Equatable {
    var isWideband: Bool

    var frameCount: Int { isWideband ? 320 : 160 }

    /// Bytes of the largest packet.
    var largestByteCount: Int { AMRHeader(isWideband: isWideband).largestFrameByteCount }

    /// Bytes of the packet that begins at `place`; nil if none does that ends at `end` or before.
    @inline(__always)
    func packetByteCount(_ bytes: RawSpan, at place: Int, end: Int) -> Int? {
        guard place < end else { return nil }
        let byteCount = AMRHeader.byteCount(ofFrameWith: bytes[place], isWideband: isWideband)
        return byteCount > 0 && byteCount <= end - place ? byteCount : nil
    }
}

/// What the tables say of packets in a track whose samples are bundles.
struct BundledTable {
    var table: SampleTable
    /// Units a second of the tables' times.
    var timescale: Int64
    var sampleRate: Double
    /// Of a packet.
    var frameCount: Int

    /// More are not believed; and so no sum overflows.
    private static let largestPacketCount: Int64 = 1 << 16

    /// Of a sample that takes as long; no sample is without.
    func packetCount(ofTime duration: Int64) -> Int64 {
        guard timescale > 0 else { return 1 }
        let count = (Double(duration) * sampleRate / Double(timescale) / Double(frameCount)).rounded()
        return max(1, min(Int64(saturating: count), Self.largestPacketCount))
    }

    /// Packets before a sample.
    func packetCount(ofFirst sampleCount: Int64) -> Int64 {
        var clock = BundleClock(self)
        return clock.firstPacket(ofSample: sampleCount)
    }

    /// The sample that holds a packet, and the first packet in it.
    func sample(ofPacket packet: Int64) -> (sample: Int64, firstPacket: Int64) {
        var clock = BundleClock(self)
        return clock.sample(ofPacket: packet)
    }
}

/// Which packets samples hold, by their times. Quick for whoever asks for neighbours.
struct BundleClock {
    let table: BundledTable
    // The run of times that was asked for last, what lies before it, and packets in each of its samples. After the last
    // run all samples are as its.
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

    /// Of the run; nil behind the last.
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
