// What readings hide, and no fit through them can see.
//
// - A pointer that moves in bursts and is looked at now and then shows each burst late, by up to the time between two
//   looks, or by a whole burst where looks are rarer. Looks and bursts beat against each other: for seconds all may be
//   equally late, and a line that followed them overshoots by as much again when it turns. Only a device that wakes us
//   with its burst shows the edge itself.
// - Few readings, or such that scatter widely, need not have come near the edge yet; and neighbours resemble each
//   other.
// - Where the end of a reading stands for the driver's stamp, everything is late by what a reading takes at least.
// - A device whose stamps lie early at times, beyond what is rejected, lies within that as well.

/// How far the truth may be from a fitted line for reasons that the fit's deviations do not contain.
struct ReadingUncertainty: BitwiseCopyable {
    /// Pointers that move by fewer frames at once are fine.
    private static let coarseFrameCount: Int64 = 16
    /// The line is made of no more points than that.
    private static let countLimit = 1_024
    /// As simulations have it (DACClockBoundTests): how many frames the edge may be off for a fine pointer, times the
    /// number of readings; how far for readings that scatter, by the root of that number; how many bursts where polls
    /// beat against them.
    private static let fineFactor = 8.0
    private static let scatterFactor = 5.0
    private static let beatFactor = 3.0
    /// Readings of a fine pointer lie closer to the edge than this on average, in seconds.
    private static let fineScale = 60e-6
    private static let lieMemorySeconds = 20.0
    /// A device that called so often, and not longer ago than so many nanoseconds, goes on calling. Fewer moves do not
    /// tell how coarse a pointer is.
    private static let tellingCallCount = 2
    private static let tellingMoveCount = 8
    private static let longestCallPause: Int64 = 300_000_000
    /// One that calls though its pointer stood still for longer than so many nanoseconds is read by the clock, whatever
    /// the loop says. Once is an accident; so many calls that did show a move make up for it.
    private static let longestEcho: Int64 = 500_000
    private static let idleCallLimit = 1.5
    private static let idleCallCeiling = 4.0
    private static let pardon = 1.0 / 64

    /// The greatest number of frames of which every move of the pointer was a multiple.
    private var granule: Int64 = 0
    /// Readings with a new frame since the last restart.
    private var count = 0
    private var lastFrame: Int64?
    private var lastHost: Int64 = 0
    /// Seconds; forgotten over some thousand readings.
    private var longestGap = 0.0
    /// The part of the readings that the device called for.
    private var promptShare = 1.0
    /// How often its pointer moved, how often it called, and when it did so last.
    private var moveCount = 0
    private var callCount = 0
    private var newestCall: Int64 = 0
    /// Calls of late at which it had not moved; and when its newest frame was seen first.
    private var idleCalls = 0.0
    private var newestMove: Int64 = 0
    /// The least slack of late, in seconds.
    private var slack = 0.0
    /// Lies of the last 20 s, and when the newest was.
    private var lies = 0.0
    private var newestLie = 0.0

    /// Takes every reading, also of a frame that was seen before: the pointer had not moved by then.
    mutating func note(frame: Int64, host: Int64, isPrompt: Bool, slack: Double) {
        guard let lastFrame else {
            self.lastFrame = frame
            lastHost = host
            newestMove = host
            self.slack = slack
            promptShare = isPrompt ? 1 : 0
            return
        }
        let gap = Double(host &- lastHost) * 1e-9
        lastHost = host
        if gap > 0, gap < 1 { longestGap = max(gap, longestGap * 0.9995) }
        self.slack = min(slack, self.slack + (slack - self.slack) / 256)
        guard frame != lastFrame else {
            if isPrompt, host &- newestMove > Self.longestEcho {
                idleCalls = min(idleCalls + 1, Self.idleCallCeiling)
            }
            return
        }
        newestMove = host
        promptShare += ((isPrompt ? 1 : 0) - promptShare) / 32
        moveCount = min(moveCount + 1, Self.tellingMoveCount)
        if isPrompt {
            callCount = min(callCount + 1, Self.tellingCallCount)
            newestCall = host
            idleCalls = max(0, idleCalls - Self.pardon)
        }
        let (step, overflow) = frame.subtractingReportingOverflow(lastFrame)
        if !overflow, step != .min { granule = Self.divisor(granule, abs(step)) }
        self.lastFrame = frame
        count = min(count + 1, Self.countLimit)
    }

    /// A reading under the edge that was rejected; times are the model's.
    mutating func noteLie(at time: Double) {
        lies = lies * max(0, 1 - (time - newestLie) / Self.lieMemorySeconds) + 1
        newestLie = time
    }

    /// The device began anew: what its pointer is like is still known.
    mutating func restart() {
        count = 0
        lies = 0
        newestLie = 0
        lastFrame = nil
    }

    /// Whether the device moves its pointer in bursts, and calls when it does so: what is read then shows the edge, and
    /// what is read in between only that it is not later.
    var isWokenCoarse: Bool {
        granule >= Self.coarseFrameCount && moveCount >= Self.tellingMoveCount && callCount >= Self.tellingCallCount
            && idleCalls < Self.idleCallLimit && lastHost &- newestCall < Self.longestCallPause
    }

    /// Whether bursts are found by looking, not by being woken.
    var isPolledCoarse: Bool { granule >= Self.coarseFrameCount && promptShare < 0.5 && !isWokenCoarse }

    /// In seconds, for a line that was fitted up to `time`.
    func seconds(of fit: ClockFit, at time: Double, rate: Double) -> Double {
        let readings = Double(max(count, 8))
        var sum = slack + Self.fineFactor / rate / readings
        sum += Self.scatterFactor * max(0, fit.scale - Self.fineScale) / readings.squareRoot()
        if isPolledCoarse { sum += Self.beatFactor * min(Double(granule) / rate, longestGap) }
        if hasLies(at: time) { sum += fit.earlyLimit }
        return sum
    }

    /// Whether more than one stamp lied of late: one may be an accident.
    func hasLies(at time: Double) -> Bool {
        lies * max(0, 1 - (time - newestLie) / Self.lieMemorySeconds) > 1.5
    }

    /// Euclid's.
    private static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
