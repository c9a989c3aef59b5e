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
        var total: Int64 = 0
        var left = sampleCount
        forEachRun { count, packets in
            let samples = min(left, count)
            total += samples * packets
            left -= samples
            return left > 0
        }
        return total
    }

    /// The sample that holds a packet, and the first packet in it.
    func sample(ofPacket packet: Int64) -> (sample: Int64, firstPacket: Int64) {
        var sample: Int64 = 0
        var first: Int64 = 0
        forEachRun { count, packets in
            let samples = min((packet - first) / packets, count)
            sample += samples
            first += samples * packets
            return samples == count
        }
        return (sample, first)
    }

    /// - Parameter visit: takes how many samples hold how many packets each; false ends it. After the last run all
    ///   samples are as its.
    private func forEachRun(_ visit: (_ sampleCount: Int64, _ packetCount: Int64) -> Bool) {
        var packets: Int64 = 1
        for index in 0..<table.timeRunCount {
            let run = table.timeRun(index)
            packets = packetCount(ofTime: run.duration)
            guard visit(run.sampleCount, packets) else { return }
        }
        // Tables have no more.
        _ = visit(1 << 32, packets)
    }
}
