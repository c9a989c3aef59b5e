/// The start of each packet in frames of the decoder's output, from a constant frame count or the table's times.
///
/// Fast for neighbouring packets. Every run of times must have packets.
struct PacketClock {
    private let table: SampleTable
    /// Frames per packet; 0 if the times determine it.
    private let frameCount: Int64
    /// Units per second, as is the sample rate.
    private let timescale: Int128
    private let sampleRate: Int128
    // The run of times used last, and what lies before it.
    private var run = 0
    private var packet: Int64 = 0
    private var time: Int128 = 0

    /// - Parameter frameCount: frames per packet; nil if the times determine it.
    /// - Returns: nil if nothing does.
    init?(_ table: SampleTable, frameCount: Int?, timescale: Int64, sampleRate: Double) {
        guard frameCount != nil || table.timeRunCount > 0 && timescale > 0 && sampleRate >= 1 else { return nil }
        self.table = table
        self.frameCount = Int64(frameCount ?? 0)
        self.timescale = Int128(timescale)
        self.sampleRate = Int128(sampleRate.rounded())
    }

    /// Returns the first frame of a packet.
    mutating func frame(ofPacket target: Int64) -> Int64 {
        guard frameCount == 0 else { return target * frameCount }
        while target < packet { returnToRunBefore() }
        while run < table.timeRunCount, target - packet >= table.timeRun(run).sampleCount { passRun() }
        let duration = run < table.timeRunCount ? table.timeRun(run).duration : 0
        let start = time + Int128(target - packet) * Int128(duration)
        return Int64(clamping: (start * sampleRate + timescale / 2) / timescale)
    }

    /// Returns the last packet that begins at or before a frame; one past the last if none begins later.
    mutating func packet(atFrame frame: Int64) -> Int64 {
        guard frameCount == 0 else { return frame / frameCount }
        // The last instant that rounds to the frame.
        let latest = ((Int128(frame) + 1) * timescale - timescale / 2 + sampleRate - 1) / sampleRate - 1
        while latest < time { returnToRunBefore() }
        while run < table.timeRunCount {
            let (count, duration) = table.timeRun(run)
            guard time + Int128(count) * Int128(duration) <= latest else {
                return packet + Int64((latest - time) / Int128(duration))
            }
            passRun()
        }
        return packet
    }

    private mutating func passRun() {
        let (count, duration) = table.timeRun(run)
        packet += count
        time += Int128(count) * Int128(duration)
        run += 1
    }

    private mutating func returnToRunBefore() {
        run -= 1
        let (count, duration) = table.timeRun(run)
        packet -= count
        time -= Int128(count) * Int128(duration)
    }
}
