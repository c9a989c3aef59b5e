import AudioCore

// The DAC's clock against host time: a straight line through readings (device frame, host time).
//
// What is known of readings: a pointer is a whole number of frames, and may stand still between bursts; a delay may be
// counted in milliseconds; a thread may be descheduled between two reads. All of these make a frame seem *later* than
// it was, by anything from nothing to the length of a burst; hardly anything makes it seem earlier. So the truth is the
// lower edge of the cloud, not its middle; how it is found is told in `ClockFit.swift`.
//
// 1. The first 512 readings after a start are kept as they are, and the line is made anew with every one. The output
//    loop reads every millisecond then (see ``wantsReadings``): what a card's rate is shows after 0.1 s.
// 2. Then readings are gathered in buckets of 20 ms, of which the earliest (against the present slope; among lies the
//    earliest but one) is kept as a point, and the line is made of the points of the last 20 s: with every point at
//    first, four times a second when it is settled.
// 3. The slope has a prior: the nominal rate +-100 ppm, or a remembered one +-5 ppm, or after a restart the learned
//    one. One that the points contradict is dropped; but where they make a rate of which the device was far a moment
//    ago, they are those before a step and those behind it, and all are learned anew.
// 4. A reading far under the edge is a glitch and does not count. A tenth of a second of nothing but such readings,
//    or a third of a second in which none comes near the edge, is a step of the device: the offset is learned anew
//    while the old line stays in force, then replaced at once, and counted in `relearnCount`.
// 5. A device whose first readings run away by more than a sound card can is not believed, and one that goes on so is
//    silent; see `RateCheck.swift`. One whose readings are guesses is judged over seconds; see `GuessFit.swift`.
// 6. Of a pointer that moves in bursts, and wakes the loop with them, the line is made of wakes alone; see
//    `WakeEdge.swift`.
//
// Nothing of this depends on absolute numbers: residuals are taken against the nominal rate from the first reading on,
// so that doubles resolve far below a nanosecond for weeks.

/// Learns when each device frame leaves the DAC. Constant memory; at most some 50 us of work a call.
struct DACClockModel: ~Copyable {
    /// What must be there before sound may start: readings, the time that they span, the bound that they give, and a
    /// rate that is known well enough. A wrong rate cannot be put right at once (10 ppm/s): d ppm cost d^2 / 20 us. A
    /// device that gives no better is taken as it is after `patience`.
    static let readyCount = 12
    static let readySpan = 0.06
    static let readyBound = 20e-6
    static let readySlopeDeviation = 12e-6
    static let patience = 0.6
    /// How long a fit must stay so.
    private static let holdSeconds = 0.02
    /// A device whose readings run away faster than this from one half of that time to the other is not what it says. A
    /// pointer's bursts hardly show, since either half tells its earliest.
    static let runaway = (seconds: 0.002, rate: 0.003)
    /// By so much a device's rate does not change from one moment to the next.
    private static let incredible = 100e-6
    /// The same after a restart, where the rate is known.
    static let restartCount = 8
    private static let restartWakeCount = 4
    static let restartSpan = 0.03

    private static let windowSeconds = 20.0
    /// A line that so long a time went into moves by nanoseconds from one point to the next: it is made anew after the
    /// interval only.
    private static let settledSeconds = 10.0
    static let settledInterval = 0.25
    private static let rawCapacity = 512
    private static let pointCapacity = 1_024
    private static let polledCapacity = 256
    /// How long readings must be early, or far from the edge, to be a step.
    static let earlySeconds = 0.1
    private static let lateSeconds = 0.3

    private let rate: Double
    private let memory: UnsafeMutablePointer<ClockPoint>
    /// The first readings; the open bucket is not among the points that follow them.
    private var raw: ClockPoints
    var points: ClockPoints
    private var bucket = ClockBucket()
    private var isRaw = true
    /// Readings between wakes, where the line is made of wakes; and whether it is made of others too.
    private var edge: WakeEdge
    private var hasPolled = false
    /// The host time at which a reading between wakes showed the newest frame still.
    private var standingHost: Int64?
    private var readingCount = 0
    private var fitter = ClockFitter(capacity: pointCapacity)
    var prior: RatePrior
    /// Whether it ran a moment ago, and the prior is what it ran at.
    private var knowsRate = false
    /// What was known of the rate before any reading.
    private let given: RatePrior
    var fit: ClockFit
    private var originFrame: Int64 = 0
    private var originHost: Int64 = 0
    private var newestFrame = Int64.min
    private var newestTime = 0.0
    var nextFitTime = 0.0
    private var backwardRun = 0
    /// Fits that a sound may start by; readings that were early; and such that were far from the edge.
    private var mature = ReadingRun()
    private var early = ReadingRun()
    var late = ReadingRun()
    private var uncertainty = ReadingUncertainty()
    var isRelearning = false
    /// Whether readings are guesses; and the host time at which the first of those came that no line was made of yet.
    var isGuessed = false
    var awaitedSince: Int64?
    private var check = RateCheck()

    /// The line in force.
    private(set) var line: ClockLine?
    /// What is not in the line's bound: how much earlier than by the line all frames may leave, in seconds, since what wakes
    /// the loop takes so long (``WakeEdge``).
    var wakeDuration: Double { edge.wakeDuration }

    /// How often a new line replaced the old one because the device's clock had stepped.
    private(set) var relearnCount = 0

    init(deviceRate: Double, rateHint: Double?) {
        rate = deviceRate
        let capacity = Self.rawCapacity + Self.pointCapacity + 2 * Self.polledCapacity
        memory = .allocate(capacity: capacity)
        memory.initialize(repeating: ClockPoint(), count: capacity)
        raw = ClockPoints(memory: memory, capacity: Self.rawCapacity)
        points = ClockPoints(memory: memory + Self.rawCapacity, capacity: Self.pointCapacity)
        edge = WakeEdge(memory: memory + Self.rawCapacity + Self.pointCapacity, capacity: Self.polledCapacity)
        let hint = rateHint.flatMap { abs($0) <= RatePrior.limitPPM ? $0 : nil }
        prior = RatePrior(
            slope: -(hint ?? 0) * 1e-6, deviation: hint == nil ? RatePrior.unknown : RatePrior.remembered)
        given = prior
        fit = ClockFit(prior: prior)
    }

    deinit { memory.deallocate() }

    var isReady: Bool { line != nil }

    /// Whether many readings are worth their trouble: the clock is not known well yet.
    var wantsReadings: Bool {
        isRaw && (fit.slopeDeviation > 0.5e-6 || !isReady) && check.impossiblePPM == nil
    }

    /// Whether so many points were gathered that the line moves by nanoseconds from one to the next.
    var isSettled: Bool {
        !isRaw && points.count > 0 && line != nil && newestTime - points[0].time >= Self.settledSeconds
    }

    /// The frame of the newest reading: frames before it were heard. `Int64.min` before the first, and after a restart.
    var newestReadingFrame: Int64 { newestFrame }
    var newestReadingHost: Int64 = 0

    /// When a frame leaves the DAC by the newest reading and the nominal rate; nil where there is no reading.
    func roughHost(of frame: Int64) -> HostTime? {
        guard newestFrame != .min else { return nil }
        let ahead = Double(frame &- newestFrame) / rate
        return HostTime(nanoseconds: newestReadingHost) + TimeSpan(seconds: min(max(ahead, -1e6), 1e6))
    }

    /// The device's rate against its nominal one, in ppm, if it is one that no sound card can have. There is no line
    /// then.
    var impossiblePPM: Double? { check.impossiblePPM }

    /// - Parameters:
    ///   - isPrompt: whether the device called for this reading, by moving its pointer.
    ///   - slack: how much sooner it may have been true, in seconds.
    mutating func note(frame: Int64, hostNanoseconds: Int64, isPrompt: Bool = true, slack: Double = 0) {
        uncertainty.note(frame: frame, host: hostNanoseconds, isPrompt: isPrompt, slack: slack)
        if readingCount == 0 { begin(frame: frame, host: hostNanoseconds) }
        if frame == newestFrame, !isPrompt { standingHost = hostNanoseconds &- Int64(slack * 1e9) }
        guard isForward(frame) else { return }
        check.note(frame: frame, host: hostNanoseconds, rate: rate)
        guard check.impossiblePPM == nil else { return disbelieve(frame) }
        let point = point(of: frame, at: hostNanoseconds)
        guard abs(point.residual) < 1e6 else { return }
        newestFrame = frame
        newestReadingHost = hostNanoseconds
        if awaitedSince == nil, line == nil || isRelearning { awaitedSince = hostNanoseconds }
        newestTime = point.time
        defer { standingHost = nil }
        guard uncertainty.isWokenCoarse, !isGuessed else {
            hasPolled = hasPolled || !isPrompt
            readingCount &+= 1
            return take(point)
        }
        takeBurst(point, isWake: isPrompt)
    }

    /// The device's clock stopped and started again: readings so far are void, the rate is kept.
    mutating func restart() {
        forget(slopeDeviation: max(0.5e-6, 3 * fit.slopeDeviation))
        knowsRate = prior.deviation < RatePrior.unknown
        check.restart()
        line = nil
        isRelearning = false
    }

    // MARK: Readings

    private mutating func begin(frame: Int64, host: Int64) {
        originFrame = frame
        originHost = host
        newestFrame = frame &- 1
        fit = ClockFit(prior: prior)
    }

    private func point(of frame: Int64, at host: Int64) -> ClockPoint {
        let time = Double(frame &- originFrame) / rate
        return ClockPoint(time: time, residual: Double(host &- originHost) * 1e-9 - time)
    }

    /// A reading of the same frame again says nothing that the first did not. One that lies behind is a glitch, or,
    /// when they all do, a device that counts anew.
    private mutating func isForward(_ frame: Int64) -> Bool {
        if frame > newestFrame {
            backwardRun = 0
            return true
        }
        if frame < newestFrame {
            backwardRun += 1
            if backwardRun >= 32 { relearn() }
        }
        return false
    }

    /// A reading of a device that wakes us with its bursts. What was read between these before that was known goes; a
    /// line that is there stays until there is one of wakes.
    private mutating func takeBurst(_ point: ClockPoint, isWake: Bool) {
        if readingCount > 0, let standingHost { edge.noteStanding(self.point(of: newestFrame, at: standingHost)) }
        guard isWake else {
            if readingCount > 0 { edge.notePolled(point) }
            return
        }
        if hasPolled {
            readingCount = 0
            forget(slopeDeviation: 0)
            isRelearning = line != nil
        } else {
            readingCount &+= 1
            take(isFollowing ? edge.corrected(point, by: fit) : point)
        }
    }

    private mutating func take(_ point: ClockPoint) {
        guard !isGuessed else { return takeGuess(point) }
        if readingCount > Self.restartCount {
            let excess = point.residual - fit.residual(at: point.time)
            guard !isEarly(point, excess), !isLate(point, excess) else { return }
        }
        if isRaw {
            raw.append(point)
            fit = fitter.fit(raw, slope: fit.slope, prior: prior)
            guard !knowsRate || abs(fit.slope - prior.slope) < Self.incredible else { return distrust() }
            if stays(isMature) || isFollowing { publish() }
            if raw.isFull { leaveRaw() }
        } else {
            guard addToBucket(point), point.time >= nextFitTime else { return }
            fit = fitter.fit(points, slope: fit.slope, prior: prior)
            nextFitTime = isSettled ? point.time + Self.settledInterval : 0
            publish()
        }
    }

    /// Glitches do not count; a run of them is a step.
    private mutating func isEarly(_ point: ClockPoint, _ excess: Double) -> Bool {
        guard excess < -fit.earlyLimit else {
            early.end()
            return false
        }
        uncertainty.noteLie(at: point.time)
        if early.extend(at: point.time, toCount: 5, seconds: Self.earlySeconds) { relearn() }
        return true
    }

    /// A late reading counts, though it is far from the edge; a long run of them is a step.
    private mutating func isLate(_ point: ClockPoint, _ excess: Double) -> Bool {
        guard excess > fit.lateLimit else {
            late.end()
            return false
        }
        guard late.extend(at: point.time, toCount: 8, seconds: Self.lateSeconds) else { return false }
        relearn()
        return true
    }

    /// Returns whether there is a new point.
    mutating func addToBucket(_ point: ClockPoint) -> Bool {
        let hasLies = uncertainty.hasLies(at: point.time)
        let isOver = bucket.isOver(at: point.time, hasLies: hasLies)
        if isOver {
            points.append(bucket.telling(hasLies: hasLies))
            while points.count > 2, point.time - points[0].time > Self.windowSeconds { points.dropFirst() }
            bucket = ClockBucket()
        }
        bucket.add(point, slope: fit.slope)
        return isOver
    }

    private mutating func leaveRaw() {
        guard line != nil || !isRunningAway else {
            raw.removeAll()
            return
        }
        isRaw = false
        for index in 0..<raw.count { _ = addToBucket(raw[index]) }
    }

    // MARK: The line

    /// Whether that is so for a while: among many looks the first that finds a fit mature is likely to find one by luck.
    private mutating func stays(_ isMature: Bool) -> Bool {
        guard isMature else {
            mature.end()
            return false
        }
        return mature.extend(at: newestTime, toCount: 3, seconds: Self.holdSeconds) || prior.isFresh
    }

    private var isMature: Bool {
        let span = newestTime - raw[0].time
        let restartCount = uncertainty.isWokenCoarse ? Self.restartWakeCount : Self.restartCount
        guard span < Self.patience else { return readingCount >= restartCount && !isRunningAway }
        return readingCount >= (prior.isFresh ? restartCount : Self.readyCount)
            && span >= (prior.isFresh ? Self.restartSpan : Self.readySpan)
            && fit.slopeDeviation < Self.readySlopeDeviation && candidate.bound(at: newestFrame) < Self.readyBound
    }

    /// Whether there is a line of these readings already. What the next ones say of it counts, surer or not: the moment in
    /// which a fit is sure enough is likely to be one in which it promises too much, and one that had stopped following
    /// its readings then started a sound 52 ppm off.
    private var isFollowing: Bool { line != nil && !isRelearning }

    private var isRunningAway: Bool {
        let drift = raw.drift
        return abs(drift.residual) > Self.runaway.seconds + Self.runaway.rate * drift.time
    }

    mutating func publish() {
        guard check.impossiblePPM == nil else { return }
        if isRelearning { relearnCount += 1 }
        isRelearning = false
        awaitedSince = nil
        if isRaw { edge.compare(with: fit) } else { edge.finish() }
        var line = candidate
        line.hidden = uncertainty.seconds(of: fit, at: newestTime, rate: rate) + edge.uncertainty
        // A prior must not hide what a coarse pointer could not show yet.
        if uncertainty.isPolledCoarse, prior.deviation >= RatePrior.unknown {
            line.hiddenRate = min(RatePrior.limitPPM * 1e-6, 4 * fit.freeSlopeDeviation)
            line.hidden += line.hiddenRate * (newestTime - (isRaw ? raw[0].time : points[0].time))
        }
        self.line = line
    }

    private var candidate: ClockLine {
        ClockLine(
            originFrame: originFrame, originHost: originHost, rate: rate, centre: fit.centre,
            residual: fit.residual, slope: fit.slope,
            offsetVariance: fit.offsetDeviation * fit.offsetDeviation,
            slopeVariance: fit.slopeDeviation * fit.slopeDeviation)
    }

    mutating func relearn() {
        forget(slopeDeviation: 20e-6)
        knowsRate = false
        isRelearning = true
    }

    /// The readings since a restart lie on both sides of a step. If those that follow say the same, it is the rate.
    private mutating func distrust() {
        fit = ClockFit(prior: prior)
        relearn()
    }

    /// Nothing is made of the readings of a device that is not what it says.
    private mutating func disbelieve(_ frame: Int64) {
        readingCount = 0
        forget(slopeDeviation: 0)
        prior = given
        line = nil
        isRelearning = false
        newestFrame = frame
    }

    private mutating func forget(slopeDeviation: Double) {
        if readingCount >= Self.readyCount, !isGuessed {
            prior = RatePrior(slope: fit.slope, deviation: min(slopeDeviation, prior.deviation))
        }
        readingCount = 0
        nextFitTime = 0
        uncertainty.restart()
        newestFrame = .min
        raw.removeAll()
        points.removeAll()
        bucket = ClockBucket()
        isRaw = !isGuessed
        hasPolled = false
        standingHost = nil
        edge.restart()
        mature.end()
        early.end()
        late.end()
        backwardRun = 0
    }
}
