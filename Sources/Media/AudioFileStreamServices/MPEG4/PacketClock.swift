/// Where packets begin, in frames of the decoder's output: all are equally long, or the table's times say.
///
/// Quick for whoever asks for neighbours. No run of times may be of no packets.
struct PacketClock {
    private let table: SampleTable
    /// Of every packet; 0 where times say.
    private let frameCount: Int64
    /// Both a second.
    private let timescale: Int128
    private let sampleRate: Int128
    // The run of times that was asked for last, and what lies before it.
    private var run = 0
    private var packet: Int64 = 0
    private var time: Int128 = 0

    /// - Parameter frameCount: of every packet; nil where the times say.
    /// - Returns: nil where nothing says.
    init?(_ table: SampleTable, frameCount: Int?, timescale: Int64, sampleRate: Double) {
        guard frameCount != nil || table.timeRunCount > 0 && timescale > 0 && sampleRate >= 1 else { return nil }
        self.table = table
        self.frameCount = Int64(frameCount ?? 0)
        self.timescale = Int128(timescale)
        self.sampleRate = Int128(sampleRate.rounded())
    }

    /// The first frame of a packet.
    mutating func frame(ofPacket target: Int64) -> Int64 {
        guard frameCount == 0 else { return target * frameCount }
        while target < packet { returnToRunBefore() }
        while run < table.timeRunCount, target - packet >= table.timeRun(run).sampleCount { passRun() }
        let duration = run < table.timeRunCount ? table.timeRun(run).duration : 0
        let start = time + Int128(target - packet) * Int128(duration)
        return Int64(clamping: (start * sampleRate + timescale / 2) / timescale)
    }

    /// The last packet that begins with a frame or before it; behind all of them if none begins later.
    mutating func packet(atFrame frame: Int64) -> Int64 {
        guard frameCount == 0 else { return frame / frameCount }
        // The last instant that is rounded to the frame.
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
