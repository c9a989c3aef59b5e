import Glibc

// The DAC's clock against host time: a straight line through readings (device frame, host time).
//
// What is known of readings: a pointer is a whole number of frames, and may stand still between bursts; a delay may be
// counted in milliseconds; a thread may be descheduled between two reads. All of these make a frame seem *later* than
// it was, by anything from nothing to the length of a burst; hardly anything makes it seem earlier. So the truth is the
// lower edge of the cloud, not its middle:
//
// 1. Readings are gathered in buckets of 20 ms, of which the earliest (against the present slope) is kept as a point.
// 2. A line is fitted to the lower edge of the points of the last 20 s, by least squares over the points of the edge
//    alone. The edge is as thick as it must be to hold a twentieth of the points (more of few points), but at least
//    1 us; it shrinks and grows a little with each fit. Points above it pull with a constant small force each, which
//    keeps the line from tilting away from a stretch whose points all lie high. Points far above, and points below by
//    much more than the edge is thick, count less and less, and then not at all. A delay quantised to one frame at
//    48 kHz puts the line 1 us above the true edge, steady to 0.2 us; a pointer that moves every 5 ms, some 30 us.
// 3. The slope has a prior: the nominal rate +-100 ppm (dropped when the points contradict it), or a remembered
//    one +-5 ppm, or after a restart the learned one.
//
// While there are few readings (the first 64 after a start), they are kept raw, and buckets and line are made anew with
// every reading: a slope that is wrong by hundreds of ppm would pick the wrong readings of a bucket.
//
// A run of buckets that all lie absurdly early (100 ms long) or late (300 ms) is a step of the device: the offset is
// learned anew while the old line stays in force, then replaced at once, and counted in `relearnCount`.
//
// Nothing of this depends on absolute numbers: residuals are taken against the nominal rate from the first reading on,
// so that doubles resolve far below a nanosecond for weeks.

/// Learns when each device frame leaves the DAC. Constant memory; at most some 30 us of work a call.
struct DACClockModel: ~Copyable {
    /// What must be there before sound may start: readings, the time that they span, the bound that they give, and a
    /// rate that is known to 8 ppm. A wrong rate cannot be put right at once (10 ppm/s): d ppm cost d^2 / 20 us. A device
    /// that gives no better is taken as it is after `patience`.
    static let readyCount = 20
    static let readySpan = 0.1
    static let readyBound = 60e-6
    static let readySlopeDeviation = 8e-6
    static let patience = 0.6
    /// The same where the rate is known from before (after a restart).
    static let restartCount = 8
    static let restartSpan = 0.03

    private static let bucketSeconds = 0.02
    private static let windowSeconds = 20.0
    private static let rawCapacity = 64
    private static let pointCapacity = 1_024

    private let rate: Double
    private let raw: UnsafeMutablePointer<ClockPoint>
    private let points: UnsafeMutablePointer<ClockPoint>
    private var pointHead = 0
    private var pointCount = 0
    private var readingCount = 0
    private var bucket = ClockBucket()
    private var prior: RatePrior
    private var fit: ClockFit
    private var originFrame: Int64 = 0
    private var originHost: Int64 = 0
    private var newestFrame = Int64.min
    private var firstTime = 0.0
    private var newestTime = 0.0
    private var lateRun = 0
    private var earlyRun = 0
    private var backwardRun = 0
    private var isRelearning = false

    /// The line in force.
    private(set) var line: ClockLine?
    /// How often a new line replaced the old one because the device's clock had stepped.
    private(set) var relearnCount = 0

    init(deviceRate: Double, rateHint: Double?) {
        rate = deviceRate
        raw = .allocate(capacity: Self.rawCapacity)
        raw.initialize(repeating: ClockPoint(), count: Self.rawCapacity)
        points = .allocate(capacity: Self.pointCapacity)
        points.initialize(repeating: ClockPoint(), count: Self.pointCapacity)
        let hint = rateHint.flatMap { abs($0) <= RatePrior.limitPPM ? $0 : nil }
        prior = RatePrior(
            slope: -(hint ?? 0) * 1e-6, deviation: hint == nil ? RatePrior.unknown : RatePrior.remembered)
        fit = ClockFit(slope: prior.slope)
    }

    deinit {
        raw.deallocate()
        points.deallocate()
    }

    var isReady: Bool { line != nil }

    /// The frame of the newest reading: frames before it were heard.
    var newestReadingFrame: Int64 { newestFrame }

    mutating func note(frame: Int64, hostNanoseconds: Int64) {
        if readingCount == 0 { begin(frame: frame, host: hostNanoseconds) }
        guard isForward(frame) else { return }
        let time = Double(frame &- originFrame) / rate
        let residual = Double(hostNanoseconds &- originHost) * 1e-9 - time
        guard abs(residual) < 1e6 else { return }
        newestFrame = frame
        newestTime = time
        let point = ClockPoint(time: time, residual: residual)
        if readingCount < Self.rawCapacity {
            raw[readingCount] = point
            readingCount += 1
            learnFromRaw()
        } else {
            readingCount &+= 1
            follow(point)
        }
    }

    /// The device's clock stopped and started again: readings so far are void, the rate is kept.
    mutating func restart() {
        forgetPoints(slopeDeviation: max(0.5e-6, 3 * fit.slopeDeviation))
        newestFrame = .min
        line = nil
        isRelearning = false
    }

    // MARK: Private

    private mutating func forgetPoints(slopeDeviation: Double) {
        if readingCount >= Self.readyCount {
            prior = RatePrior(slope: fit.slope, deviation: min(slopeDeviation, prior.deviation))
        }
        readingCount = 0
        pointHead = 0
        pointCount = 0
        bucket = ClockBucket()
        lateRun = 0
        earlyRun = 0
        backwardRun = 0
    }

    private mutating func begin(frame: Int64, host: Int64) {
        originFrame = frame
        originHost = host
        newestFrame = frame &- 1
        firstTime = 0
        fit = ClockFit(slope: prior.slope)
    }

    /// A reading of the same frame again says nothing that the first did not. One that lies behind is a glitch, or, when
    /// they all do, a device that counts anew.
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

    private mutating func relearn() {
        forgetPoints(slopeDeviation: 20e-6)
        isRelearning = true
        newestFrame = .min
    }

    // MARK: The first readings

    private mutating func learnFromRaw() {
        for _ in 0..<3 {
            pointHead = 0
            pointCount = 0
            bucket = ClockBucket()
            for index in 0..<readingCount { addToBucket(raw[index]) }
            push(bucket.earliest)
            for _ in 0..<4 { fitPoints() }
            // The open bucket lent its point; it is not full yet.
            pointCount -= 1
        }
        if isMature { publish() }
    }

    private var isMature: Bool {
        let span = newestTime - firstTime
        if prior.isTight { return readingCount >= Self.restartCount && span >= Self.restartSpan }
        guard span < Self.patience else { return readingCount >= Self.restartCount }
        return readingCount >= Self.readyCount && span >= Self.readySpan
            && fit.slopeDeviation < Self.readySlopeDeviation && candidate.bound(at: newestFrame) < Self.readyBound
    }

    // MARK: Afterwards

    private mutating func follow(_ point: ClockPoint) {
        guard bucket.count > 0, point.time - bucket.begin >= Self.bucketSeconds else {
            addToBucket(point)
            return
        }
        guard !isStep(bucket.earliest) else {
            relearn()
            return
        }
        addToBucket(point)
        fitPoints()
        fitPoints()
        if isMature { publish() }
    }

    /// Counts runs of absurd points; a long one is a step of the device.
    private mutating func isStep(_ point: ClockPoint) -> Bool {
        let excess = point.residual - fit.residual(at: point.time)
        lateRun = excess > fit.lateLimit ? lateRun + 1 : 0
        earlyRun = excess < -fit.earlyLimit ? earlyRun + 1 : 0
        return lateRun >= 15 || earlyRun >= 5
    }

    private mutating func publish() {
        if isRelearning { relearnCount += 1 }
        isRelearning = false
        line = candidate
    }

    private var candidate: ClockLine {
        ClockLine(
            originFrame: originFrame, originHost: originHost, rate: rate, centre: fit.centre,
            residual: fit.centreResidual, slope: fit.slope, offsetVariance: fit.offsetVariance,
            slopeVariance: fit.slopeDeviation * fit.slopeDeviation, bias: fit.edge)
    }

    // MARK: Points

    private mutating func addToBucket(_ point: ClockPoint) {
        if bucket.count > 0, point.time - bucket.begin >= Self.bucketSeconds {
            push(bucket.earliest)
            bucket.reset()
        }
        bucket.add(point, slope: fit.slope)
    }

    private mutating func push(_ point: ClockPoint) {
        if pointCount == Self.pointCapacity { dropOldest() }
        points[(pointHead + pointCount) & (Self.pointCapacity - 1)] = point
        pointCount += 1
        while pointCount > 2, point.time - points[pointHead].time > Self.windowSeconds { dropOldest() }
    }

    private mutating func dropOldest() {
        pointHead = (pointHead + 1) & (Self.pointCapacity - 1)
        pointCount -= 1
    }

    private mutating func fitPoints() {
        fit.refine(
            points: points, head: pointHead, count: pointCount, mask: Self.pointCapacity - 1, prior: prior,
            spread: bucket.meanSpread)
    }
}
