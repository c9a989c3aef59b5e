import AudioCore

// A device's clock relative to host time: a straight line through readings (hardware frame, host time). An ADC's
// readings err like a DAC's, so what is said of a DAC here holds for both.
//
// How readings err: a pointer is a whole number of frames, and may stand still between bursts; a delay may be counted
// in milliseconds; a thread may be descheduled between two reads. All of these make a frame seem *later* than it was,
// by anything from nothing to the length of a burst; hardly anything makes it seem earlier. So the true line is the
// lower edge of the cloud, not its middle. `ClockFit.swift` explains how it is found.
//
// 1. The first 512 readings after a start are kept as they are, and each of them triggers a new fit. Until the rate is
//    known, the output loop reads several times a millisecond, then once (see ``readingInterval``): a card's rate shows
//    after some 60 ms.
// 2. Later readings go into buckets of 20 ms. The earliest reading of each, relative to the present slope, becomes a
//    point (the second earliest where stamps are sometimes early), and the line is fitted to the points of 20 s: at
//    every new point at first, four times a second once the model is settled.
// 3. The slope has a prior: the nominal rate +-100 ppm, a remembered rate +-5 ppm, or after a restart the learned rate.
//    A prior that the points contradict is dropped. But if the points then give a rate far from the one at which the
//    device ran a moment ago, they lie on both sides of a step, and everything is learned anew.
// 4. A reading far below the edge is a glitch and does not count. If all readings are that early for a tenth of a
//    second, or none comes near the edge for a third of a second, the device has stepped: the offset is learned anew
//    while the old line stays in force; the new line then replaces it at once, and `relearnCount` counts this. If it
//    steps again when only some ten readings are there, these and all later ones look like one wide cloud. But its
//    halves lie far apart: after `patience` the offset is learned anew once more.
// 5. A device whose first readings drift faster than a sound card can is not believed; if it goes on, it is silenced
//    (see `RateCheck.swift`). A device whose readings are guesses is judged over seconds (see `GuessFit.swift`).
// 6. If the pointer moves in bursts, the loop looks for them (see `BurstSearcher.swift`), and only the edges that it
//    finds make the line. If it finds none, and bursts wake the loop, only wakes do (see `WakeEdge.swift`).
//
// Residuals are relative to the nominal rate since the first reading, not absolute times, so doubles resolve far below
// a nanosecond for weeks.

/// Learns when each frame leaves the DAC or reaches the ADC. Constant memory; at most some 50 us of work per call.
struct DeviceClockModel: ~Copyable {
    /// What sound may start with: readings, the time that they span, the error bound, and the deviation of the slope. A
    /// wrong rate cannot be corrected at once (10 ppm/s): d ppm cost d^2 / 20 us. A device that never gets that far is
    /// accepted after `patience`.
    static let readyCount = 12
    static let readySpan = 0.06
    static let readyBound = 20e-6
    static let readySlopeDeviation = 12e-6
    static let patience = 0.6
    /// How long a fit must stay that good.
    private static let holdSeconds = 0.02
    /// A device whose readings drift faster than this from one half of the window to the other is not believed. A
    /// pointer's bursts hardly show, since each half is represented by its earliest reading.
    static let runaway = (seconds: 0.002, rate: 0.003)
    /// No device's rate changes by this much from one moment to the next.
    private static let incredible = 100e-6
    /// The same after a restart, when the rate is known.
    static let restartCount = 8
    private static let restartWakeCount = 4
    static let restartSpan = 0.03

    /// Sound waits for the line, and the line for the rate: a reading cannot show a part of a frame, so what tells of
    /// the rate is how many there are. Before half of the raw readings are there, there is a line, or they are no help.
    private static let hurriedInterval = TimeSpan.microseconds(250)
    private static let hurriedCount = rawCapacity / 2
    private static let learningInterval = TimeSpan.milliseconds(1)
    private static let windowSeconds = 20.0
    /// A line through this many seconds of points moves by nanoseconds per point, so it is fitted anew only once per
    /// interval.
    private static let settledSeconds = 10.0
    static let settledInterval = 0.25
    private static let rawCapacity = 512
    private static let pointCapacity = 1_024
    private static let polledCapacity = 256
    /// How long readings must be early, or far from the edge, to count as a step.
    static let earlySeconds = 0.1
    private static let lateSeconds = 0.3

    let rate: Double
    private let memory: UnsafeMutablePointer<ClockPoint>
    /// The first readings. `points` follow them, without the open bucket.
    private var raw: ClockPoints
    var points: ClockPoints
    private var bucket = ClockBucket()
    private(set) var isRaw = true
    /// Poll readings, where wakes make the line; and whether the line also contains poll readings.
    private var edge: WakeEdge
    private var hasPolled = false
    /// Searches for bursts; and whether the edges that they find make the line.
    var searcher = BurstSearcher()
    private var followsEdges = false
    /// The host time at which a poll reading last showed the newest frame.
    private var standingHost: Int64?
    private(set) var readingCount = 0
    private var fitter = ClockFitter(capacity: pointCapacity)
    var prior: RatePrior
    /// Whether the device ran a moment ago, so that the prior is its learned rate.
    private var knowsRate = false
    /// The prior as it was before the first reading.
    private let given: RatePrior
    var fit: ClockFit
    private var originFrame: Int64 = 0
    private var originHost: Int64 = 0
    private var newestFrame = Int64.min
    private var newestTime = 0.0
    var nextFitTime = 0.0
    private var backwardRun = 0
    /// Runs of fits that sound may start with, of early readings, of readings far from the edge, and of readings that
    /// come before the edge that was found by a search.
    private var mature = ReadingRun()
    private var early = ReadingRun()
    var late = ReadingRun()
    var contrary = ReadingRun()
    private(set) var uncertainty = ReadingUncertainty()
    var isRelearning = false
    /// Whether readings are guesses; and the host time of the first reading that no line contains yet.
    var isGuessed = false
    var awaitedSince: Int64?
    private var check = RateCheck()

    /// The line in force.
    private(set) var line: ClockLine?
    /// How much earlier than the line all frames may leave, in seconds, because of what a wake takes (``WakeEdge``).
    /// Not part of the line's bound.
    var wakeDuration: Double { edge.wakeDuration }

    /// Whether every wake tells of the clock, as the device's pointer moves in bursts and no search finds them.
    var needsEveryWake: Bool { uncertainty.isCoarse && !followsEdges }

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

    /// How often readings are worthwhile, beside those of wakes, because the clock is not known well yet; nil once they
    /// are not.
    var readingInterval: TimeSpan? {
        guard isRaw, check.impossiblePPM == nil else { return nil }
        guard isReady else { return readingCount < Self.hurriedCount ? Self.hurriedInterval : Self.learningInterval }
        return fit.slopeDeviation > 0.5e-6 ? Self.learningInterval : nil
    }

    /// Whether the points span so much time that the line moves by nanoseconds per point.
    var isSettled: Bool {
        !isRaw && points.count > 0 && line != nil && newestTime - points[0].time >= Self.settledSeconds
    }

    /// The frame of the newest reading: frames before it were heard. `Int64.min` before the first reading and after a
    /// restart.
    var newestReadingFrame: Int64 { newestFrame }
    var newestReadingHost: Int64 = 0

    /// When a frame leaves the DAC according to the newest reading and the nominal rate; nil without a reading.
    func roughHost(of frame: Int64) -> HostTime? {
        guard newestFrame != .min else { return nil }
        let ahead = Double(frame &- newestFrame) / rate
        return HostTime(nanoseconds: newestReadingHost) + TimeSpan(seconds: min(max(ahead, -1e6), 1e6))
    }

    /// The device's rate relative to its nominal rate, in ppm, if no sound card can have such a rate. There is no line
    /// then.
    var impossiblePPM: Double? { check.impossiblePPM }

    /// - Parameters:
    ///   - slack: how much earlier the frame may have left, in seconds.
    mutating func note(
        frame: Int64, hostNanoseconds: Int64, occasion: ReadingOccasion = .wake, slack: Double = 0
    ) {
        let isWake = occasion == .wake
        let earliest = hostNanoseconds &- Int64(slack * 1e9)
        let isEdge = occasion == .search && searcher.note(frame: frame, from: earliest, at: hostNanoseconds)
        uncertainty.note(frame: frame, host: hostNanoseconds, isWake: isWake, slack: slack)
        if readingCount == 0 { begin(frame: frame, host: hostNanoseconds) }
        if frame == newestFrame, !isWake { standingHost = earliest }
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
        let showsEdges = searcher.isReliable(at: hostNanoseconds)
        guard showsEdges == followsEdges else { return changeReadings(followingEdges: showsEdges) }
        if followsEdges {
            guard isEdge else { return compareEdges(with: point, at: hostNanoseconds) }
            readingCount &+= 1
            take(point)
            return reviewEdges(at: hostNanoseconds)
        }
        guard uncertainty.isWokenCoarse, !isGuessed else {
            hasPolled = hasPolled || !isWake
            readingCount &+= 1
            return take(point)
        }
        takeBurst(point, isWake: isWake)
    }

    /// Drops all readings, because the device's clock stopped and started again. The rate is kept.
    mutating func restart() {
        searcher.restart()
        followsEdges = false
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

    /// Whether a reading shows a new frame. The same frame again adds nothing. An older one is a glitch or, if all
    /// readings are older, a device that has started counting again.
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

    /// Takes a reading of a device that wakes the loop with its bursts. The first wake drops what poll readings taught
    /// before; an existing line stays in force until wakes make a new one.
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

    /// Drops the readings so far, because other ones make the line from now on: they are late by something else. An
    /// existing line stays in force until these make a new one.
    private mutating func changeReadings(followingEdges: Bool) {
        followsEdges = followingEdges
        if followingEdges { readingCount = 0 }
        forget(slopeDeviation: 5e-6)
        isRelearning = line != nil
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
            let isCredible = !knowsRate || abs(fit.slope - prior.slope) < Self.incredible
            guard isCredible, !hasSteppedAgain else { return distrust() }
            if stays(isMature) || isFollowing { publish() }
            if raw.isFull { leaveRaw() }
        } else {
            guard addToBucket(point), point.time >= nextFitTime else { return }
            fit = fitter.fit(points, slope: fit.slope, prior: prior)
            nextFitTime = isSettled ? point.time + Self.settledInterval : 0
            publish()
        }
    }

    /// Whether a reading is a glitch, which does not count. A run of glitches is a step.
    private mutating func isEarly(_ point: ClockPoint, _ excess: Double) -> Bool {
        guard excess < -fit.earlyLimit else {
            early.end()
            return false
        }
        uncertainty.noteEarlyStamp(at: point.time)
        if early.extend(at: point.time, toCount: 5, seconds: Self.earlySeconds) { relearn() }
        return true
    }

    /// Whether a late reading belongs to a step. A single late reading counts; a long run of them is a step.
    private mutating func isLate(_ point: ClockPoint, _ excess: Double) -> Bool {
        guard excess > fit.lateLimit else {
            late.end()
            return false
        }
        guard late.extend(at: point.time, toCount: 8, seconds: Self.lateSeconds) else { return false }
        relearn()
        return true
    }

    /// Adds a reading to its bucket. Returns whether that completed a point.
    mutating func addToBucket(_ point: ClockPoint) -> Bool {
        let hasEarlyStamps = uncertainty.hasEarlyStamps(at: point.time)
        let isOver = bucket.isOver(at: point.time, hasEarlyStamps: hasEarlyStamps)
        if isOver {
            points.append(bucket.telling(hasEarlyStamps: hasEarlyStamps))
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

    /// Whether the fit has been mature for a while: of many fits in a row, the first mature one is likely to be so by
    /// luck.
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

    /// Whether these readings already made a line. It then follows every later fit, surer or not: a fit that has just
    /// become sure enough is likely to promise too much, and a line that stopped following its readings once started a
    /// sound 52 ppm off.
    private var isFollowing: Bool { line != nil && !isRelearning }

    private var isRunningAway: Bool {
        let drift = raw.drift
        return abs(drift.residual) > Self.runaway.seconds + Self.runaway.rate * drift.time
    }

    /// Whether the device stepped again while too few readings showed the step before it.
    private var hasSteppedAgain: Bool {
        isRelearning && newestTime - raw[0].time >= Self.patience && isRunningAway
    }

    mutating func publish() {
        guard check.impossiblePPM == nil else { return }
        if isRelearning { relearnCount += 1 }
        isRelearning = false
        awaitedSince = nil
        if isRaw { edge.compare(with: fit) } else { edge.finish() }
        var line = candidate
        line.systematicBound =
            uncertainty.seconds(of: fit, at: newestTime, rate: rate, showsEdges: followsEdges)
            + (followsEdges ? searcher.width : edge.uncertainty)
        // The prior must not hide what a coarse pointer could not show yet.
        if uncertainty.isPolledCoarse, !followsEdges, prior.deviation >= RatePrior.unknown {
            line.systematicBoundRate = min(RatePrior.limitPPM * 1e-6, 4 * fit.freeSlopeDeviation)
            line.systematicBound += line.systematicBoundRate * (newestTime - (isRaw ? raw[0].time : points[0].time))
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

    /// Drops readings that lie on both sides of a step since a restart, or since another step. If the next ones agree
    /// with them, that is the rate.
    private mutating func distrust() {
        fit = ClockFit(prior: prior)
        relearn()
    }

    /// Drops the readings of a device that does not run at its stated rate.
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
        contrary.end()
        backwardRun = 0
    }
}
