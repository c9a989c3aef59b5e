// Errors of readings that no fit through the readings can detect.
//
// - A pointer that moves in bursts and is polled shows each burst late, by up to the poll interval, or by a whole burst
//   if polls are rarer. Polls and bursts beat against each other: for seconds all readings may be equally late, and a
//   line that followed them overshoots by as much when that ends. Only a device that wakes the loop with its bursts
//   shows the edge itself.
// - Few readings, or widely scattered ones, may not have come near the edge yet; and neighbours are correlated.
// - If the end of a reading replaces the driver's stamp, everything is late by the least time that a reading takes.
// - Early stamps that are too close to the edge to be rejected may move the line by as much.

/// How far the truth may be from a fitted line, beyond the fit's own deviations.
struct ReadingUncertainty: BitwiseCopyable {
    /// A pointer that moves by fewer frames at a time is fine.
    private static let coarseFrameCount: Int64 = 16
    /// The largest number of points in a fit.
    private static let countLimit = 1_024
    /// Factors found by simulation (DeviceClockBoundTests): the edge error of a fine pointer in frames, times the
    /// number of readings; the error from scatter, times the root of that number; the error in bursts where polls beat
    /// against them.
    private static let fineFactor = 8.0
    private static let scatterFactor = 5.0
    private static let beatFactor = 3.0
    /// Readings of a fine pointer lie closer to the edge than this on average, in seconds.
    private static let fineScale = 60e-6
    private static let earlyStampMemorySeconds = 20.0
    /// A device that woke the loop this often, the last time no longer ago than this many nanoseconds, counts as waking
    /// it. With fewer moves, the coarseness of the pointer is unknown.
    private static let leastWakeCount = 2
    private static let leastMoveCount = 8
    private static let longestWakePause: Int64 = 300_000_000
    /// How long a stamp of the driver's promises another one: longer than the time between two wakes, in nanoseconds.
    private static let stampMemory: Int64 = 2_000_000_000
    /// A device that wakes the loop although its pointer has stood still for more than this many nanoseconds is polled,
    /// whatever the loop says. One idle wake is an accident; 64 wakes that did show a move make up for it.
    private static let longestWakeDelay: Int64 = 500_000
    private static let idleWakeLimit = 1.5
    private static let idleWakeCeiling = 4.0
    private static let idleWakeDecay = 1.0 / 64

    /// The greatest common divisor of all moves of the pointer, in frames.
    private var granule: Int64 = 0
    /// Readings with a new frame since the last restart.
    private var count = 0
    private var lastFrame: Int64?
    private var lastHost: Int64 = 0
    /// Seconds; forgotten over some thousand readings.
    private var longestGap = 0.0
    /// The share of readings that were wakes: a running average.
    private var wakeShare = 1.0
    /// Moves of the pointer, wakes that showed one, and the host time of the newest such wake.
    private var moveCount = 0
    private var wakeCount = 0
    private var newestWake: Int64 = 0
    /// Recent wakes without a move; and the time at which the newest frame was first seen.
    private var idleWakes = 0.0
    private var newestMove: Int64 = 0
    /// The least recent slack, in seconds.
    private var slack = 0.0
    /// The host time of the newest reading without slack.
    private var newestStamped: Int64?
    /// Early stamps of the last 20 s, each counting less with age, and the time of the newest.
    private var earlyStamps = 0.0
    private var newestEarlyStamp = 0.0

    /// Takes every reading, even of a known frame: it shows that the pointer had not moved yet.
    mutating func note(frame: Int64, host: Int64, isWake: Bool, slack: Double) {
        if slack == 0 { newestStamped = host }
        guard let lastFrame else {
            self.lastFrame = frame
            lastHost = host
            newestMove = host
            self.slack = slack
            wakeShare = isWake ? 1 : 0
            return
        }
        let gap = Double(host &- lastHost) * 1e-9
        lastHost = host
        if gap > 0, gap < 1 { longestGap = max(gap, longestGap * 0.9995) }
        self.slack = min(slack, self.slack + (slack - self.slack) / 256)
        guard frame != lastFrame else {
            if isWake, host &- newestMove > Self.longestWakeDelay {
                idleWakes = min(idleWakes + 1, Self.idleWakeCeiling)
            }
            return
        }
        newestMove = host
        wakeShare += ((isWake ? 1 : 0) - wakeShare) / 32
        moveCount = min(moveCount + 1, Self.leastMoveCount)
        if isWake {
            wakeCount = min(wakeCount + 1, Self.leastWakeCount)
            newestWake = host
            idleWakes = max(0, idleWakes - Self.idleWakeDecay)
        }
        let (step, overflow) = frame.subtractingReportingOverflow(lastFrame)
        if !overflow, step != .min { granule = Self.divisor(granule, abs(step)) }
        self.lastFrame = frame
        count = min(count + 1, Self.countLimit)
    }

    /// Notes a reading that was rejected as too early; times are the model's.
    mutating func noteEarlyStamp(at time: Double) {
        earlyStamps = earlyStamps * max(0, 1 - (time - newestEarlyStamp) / Self.earlyStampMemorySeconds) + 1
        newestEarlyStamp = time
    }

    /// Starts counting again after a device restart. What is known of the pointer is kept.
    mutating func restart() {
        count = 0
        earlyStamps = 0
        newestEarlyStamp = 0
        lastFrame = nil
    }

    /// Whether the pointer moves in bursts.
    var isCoarse: Bool { granule >= Self.coarseFrameCount }

    /// Whether the device moves its pointer in bursts and wakes the loop when it does. Wakes then show the edge; poll
    /// readings only limit how late it is.
    var isWokenCoarse: Bool {
        isCoarse && moveCount >= Self.leastMoveCount && wakeCount >= Self.leastWakeCount
            && idleWakes < Self.idleWakeLimit && lastHost &- newestWake < Self.longestWakePause
    }

    /// Whether a coarse pointer's bursts are found by polling, not by wakes.
    var isPolledCoarse: Bool { isCoarse && wakeShare < 0.5 && !isWokenCoarse }

    /// How many frames a coarse pointer moves by at a time, once that is known.
    var burstFrameCount: Int64? { isCoarse && moveCount >= Self.leastMoveCount ? granule : nil }

    /// Whether the driver itself says when its newest readings were valid: then nothing shows it better.
    func isStamped(at host: Int64) -> Bool {
        guard let newestStamped else { return false }
        return host &- newestStamped < Self.stampMemory
    }

    /// The uncertainty in seconds, for a line fitted up to `time`.
    /// - Parameter showsEdges: whether the readings show bursts at their edges.
    func seconds(of fit: ClockFit, at time: Double, rate: Double, showsEdges: Bool) -> Double {
        let readings = Double(max(count, 8))
        var sum = slack + Self.fineFactor / rate / readings
        sum += Self.scatterFactor * max(0, fit.scale - Self.fineScale) / readings.squareRoot()
        if isPolledCoarse, !showsEdges { sum += Self.beatFactor * min(Double(granule) / rate, longestGap) }
        if hasEarlyStamps(at: time) { sum += fit.earlyLimit }
        return sum
    }

    /// Whether more than one recent stamp was early: a single one may be an accident.
    func hasEarlyStamps(at time: Double) -> Bool {
        earlyStamps * max(0, 1 - (time - newestEarlyStamp) / Self.earlyStampMemorySeconds) > 1.5
    }

    /// Euclid's algorithm.
    private static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
