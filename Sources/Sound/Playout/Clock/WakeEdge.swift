// Data: a coarse pointer moves in bursts, and some bursts wake the loop. A wake reading is late by what a wake takes,
// which is almost constant: wake readings lie close together and show the rate. A poll reading, made between wakes, is
// late by anything up to the poll interval: now and then earlier than any wake, mostly far later, and for seconds alike
// where polls and bursts beat against each other.
//
// Estimator: both together are not one cloud with one lower edge. A loop that polls until the rate is known, and only
// waits for wakes from then on, has its earliest readings at the beginning; a line below all of them is tilted by what
// a wake takes, and seems more certain with every wake. So only wakes make the line. No reading is early, so a poll
// reading below the line proves that the line is late by at least that distance, which the bound includes. The line is
// not moved: the next such reading would move it again, and what a wake takes is much the same on all machines. The
// last reading before a burst shows how late the line is at most. That limit is no part of the bound between
// loudspeakers, whose wakes take much the same; it is added where a frame's instant is asked for.
//
// Wakes can change: if one interrupt wakes two threads and the other one runs first, all wakes become late by what it
// does, at once and for good: by 280 us (a kernel's loopback card, two players, one processor), or 490 if the other
// renders more. A card of 0 ppm was taken for one of -30 to -58 ppm for 20 s, until the last quick wake was forgotten.
// But no crystal changes from one moment to the next. So if eight wakes in a row are later than all before them, by far
// more than these scatter, the wakes have changed, and the difference is subtracted from then on. A line of a wrong
// rate drifts off its wakes gradually; that is never subtracted, or it would never be corrected. If the card itself had
// stood still for that long, the readings would look the same; so what is subtracted is part of the bound, and at most
// a millisecond. More is a step of the clock.

/// The lateness of a coarse device's wakes, as far as readings show it, and the correction when it changes.
///
/// Real-time safe; owns no memory.
struct WakeEdge: BitwiseCopyable {
    /// This many wakes in a row that are later than others are late for a reason of their own.
    private static let lateCount = 8
    private static let longestDelay = 1e-3

    /// Poll readings, in order of time.
    private var polled: ClockPoints
    /// The last poll reading before each burst, as a point with the burst's frame.
    private var standing: ClockPoints
    /// The least and the greatest lateness of the line through the wakes, in seconds, according to poll readings.
    private var lateness = (least: 0.0, most: 0.0)
    /// How much later wakes are now than those that made the first line, in seconds.
    private var delay = 0.0
    /// The distances above the line of wakes without a lateness of their own.
    private var scatter: WakeScatter?
    /// The current run of late wakes: how many, and the smallest lateness among them.
    private var late = (count: 0, least: Double.infinity)
    /// The lateness of the newest early wake: one that was late by less than the delay.
    private var lastEarlyWakeDelay = Double.infinity

    /// - Parameter memory: room for twice the capacity, which is a power of two.
    init(memory: UnsafeMutablePointer<ClockPoint>, capacity: Int) {
        polled = ClockPoints(memory: memory, capacity: capacity)
        standing = ClockPoints(memory: memory + capacity, capacity: capacity)
    }

    mutating func restart() { self = WakeEdge(memory: polled.memory, capacity: polled.mask + 1) }

    // MARK: Between wakes

    mutating func notePolled(_ point: ClockPoint) { polled.append(point) }

    /// - Parameter point: the burst's frame, at the time of a reading that does not show the burst yet.
    mutating func noteStanding(_ point: ClockPoint) { standing.append(point) }

    /// Compares the poll readings with the line through the wakes.
    mutating func compare(with fit: ClockFit) {
        if polled.count > 0 { lateness.least = max(0, polled.greatestDistance(below: fit)) }
        if standing.count > 0 { lateness.most = max(0, standing.leastDistance(below: fit)) }
    }

    /// Drops the poll readings, since no more will come. What they showed is kept.
    mutating func finish() {
        polled.removeAll()
        standing.removeAll()
    }

    // MARK: Wakes

    /// How far the device may be from the line through its wakes, in seconds, apart from what every wake takes.
    var uncertainty: Double { lateness.least + delay + (scatter?.wander ?? 0) }

    /// What every wake may take beyond ``uncertainty``, in seconds.
    var wakeDuration: Double { max(0, lateness.most - lateness.least) }

    /// Returns a wake without its delay.
    /// - Parameter fit: the fit through the wakes before it.
    mutating func corrected(_ point: ClockPoint, by fit: ClockFit) -> ClockPoint {
        let excess = point.residual - delay - fit.residual(at: point.time)
        if delay > 0, excess < -ClockFit.glitch { return correctedEarly(point, excess) }
        var scatter = scatter ?? WakeScatter(mean: fit.scale)
        if excess > scatter.limit {
            late = (late.count + 1, min(late.least, excess))
            if late.count == Self.lateCount { extendDelay(by: late.least - scatter.least) }
        } else {
            late = (0, .infinity)
            scatter.note(excess)
        }
        self.scatter = scatter
        return ClockPoint(time: point.time, residual: point.residual - delay)
    }

    private mutating func extendDelay(by more: Double) {
        if delay + more < Self.longestDelay { delay += more }
        late = (0, .infinity)
        lastEarlyWakeDelay = .infinity
    }

    /// Corrects an early wake: one that is late by less than the delay. A single one is an exception; two that agree
    /// show that the delay is smaller now.
    private mutating func correctedEarly(_ point: ClockPoint, _ excess: Double) -> ClockPoint {
        late = (0, .infinity)
        let own = max(0, delay + excess)
        if abs(own - lastEarlyWakeDelay) < ClockFit.glitch { delay = own }
        lastEarlyWakeDelay = own
        return ClockPoint(time: point.time, residual: point.residual - own)
    }
}

/// How far wakes lie above the line through the earliest of them; all in seconds.
///
/// If the line drifts off its wakes, they leave it gradually and do not count as late. The mean follows early wakes
/// faster than late ones: if another thread delays half of the wakes, it is the mean of the others.
struct WakeScatter: BitwiseCopyable {
    private static let meanCount = 8.0
    private static let leastCount = 32
    /// A wake delayed by another thread is late by more than this, and by more than other wakes ever are.
    private static let leastJump = 60e-6
    private static let sharpness = 8.0
    /// A wake further above the mean counts as this far above it.
    private static let reach = 10e-6
    /// The least of so many may be this many times its expectation by chance; more has a probability of one in 50.
    private static let chance = 4.0
    /// How much of ``wander`` is left after each further ``leastCount`` wakes.
    private static let persistence = 7.0 / 8

    private var mean: Double
    /// The least of the last 32 to 64 wakes: of the last full block of 32, and of those since.
    private var former = 0.0
    private var latter = Double.infinity
    private var count = 0
    /// How far the earliest wake of a block recently lay above the line, beyond chance: the line is known no better.
    private(set) var wander = 0.0

    init(mean: Double) { self.mean = mean }

    /// The level that almost all wakes lie above.
    var least: Double { min(former, latter) }
    /// The level that wakes normally stay below.
    var limit: Double { least + Self.leastJump + Self.sharpness * max(0, mean - least) }

    mutating func note(_ excess: Double) {
        mean += (min(excess, mean + Self.reach) - mean) / Self.meanCount
        latter = min(latter, excess)
        count += 1
        guard count == Self.leastCount else { return }
        (former, latter, count) = (latter, .infinity, 0)
        let chance = Self.chance * max(0, mean) / Double(Self.leastCount)
        wander = max(former - chance, wander * Self.persistence)
    }
}
