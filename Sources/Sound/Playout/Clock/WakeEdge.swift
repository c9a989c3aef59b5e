// A coarse pointer moves in bursts, and some of these wake the loop. What is read then is late by what a wake takes,
// which is much the same from one to the next: such readings lie close to each other, and tell the rate. What is read
// between wakes, by the clock, is late by anything up to the time between two readings: now and then it is earlier than
// any wake, and mostly far later; and where readings and bursts beat against each other, it is that for seconds.
//
// Both together are no cloud with one edge. A loop that reads by the clock until the rate is known, and is only woken
// from then on, has its earliest readings at the beginning: a line below all of them is tilted by what a wake takes, and
// seems the more certain the more wakes there are. So the line is made of wakes alone. By how much a reading between
// them was earlier than the line, the line is late at least, since none is early: that is part of the bound. The line is
// not moved by it, as the next such reading would move it again, and what a wake takes is much the same on all machines.
// By how much the last reading before a burst was earlier, the line is late at most. That is no part of the bound between
// loudspeakers, whose wakes take much the same; it is where somebody asks for a frame's instant.
//
// Wakes change as well: where two threads are woken by one interrupt and the other goes first, all are late by what that
// one does, 280 us at once and for good (a kernel's loopback card, two players, one processor; 490 when the other
// renders more). A card of 0 ppm was taken for one of -30 to -58 until the last quick wake was forgotten, for 20 s. But
// no crystal changes from one moment to the next: when eight wakes in a row are later than any before them, by far more
// than these scatter, it is the wakes, and from then on so much is taken off. A line of a wrong rate leaves its wakes
// gradually, and that is never taken off: it would never be put right. Where the card itself had stood still for as long,
// nothing would tell; so what is taken off is part of the bound, and no more than a millisecond is: beyond it is a step
// of the clock.

/// By how much the wakes of a coarse device are late, and when that changes, as far as its readings tell.
///
/// Real-time safe; owns no memory.
struct WakeEdge: BitwiseCopyable {
    /// So many wakes in a row that are later than others are late for a reason of their own.
    private static let lateCount = 8
    private static let longestDelay = 1e-3

    /// Readings between wakes, in the order of their time.
    private var polled: ClockPoints
    /// The last readings before bursts, as points of the bursts' frames.
    private var standing: ClockPoints
    /// Seconds that the line through the wakes is late at least, and at most, as readings between them tell.
    private var lateness = (least: 0.0, most: 0.0)
    /// Seconds that wakes are later than those that the line was made of first.
    private var delay = 0.0
    /// How the wakes lie over the line that are not late for a reason of their own.
    private var scatter: WakeScatter?
    /// Wakes in a row that are late: how many, and the least that one of them is late by.
    private var late = (count: 0, least: Double.infinity)
    /// By how much the newest early wake was late: one that was late by less than the delay.
    private var lastEarlyWakeDelay = Double.infinity

    /// - Parameter memory: of twice the capacity, which is a power of two.
    init(memory: UnsafeMutablePointer<ClockPoint>, capacity: Int) {
        polled = ClockPoints(memory: memory, capacity: capacity)
        standing = ClockPoints(memory: memory + capacity, capacity: capacity)
    }

    mutating func restart() { self = WakeEdge(memory: polled.memory, capacity: polled.mask + 1) }

    // MARK: Between wakes

    mutating func notePolled(_ point: ClockPoint) { polled.append(point) }

    /// - Parameter point: of a burst's frame, at the time of a reading that does not show the burst yet.
    mutating func noteStanding(_ point: ClockPoint) { standing.append(point) }

    /// Compares the readings between wakes with the line through these.
    mutating func compare(with fit: ClockFit) {
        if polled.count > 0 { lateness.least = max(0, polled.greatestDistance(below: fit)) }
        if standing.count > 0 { lateness.most = max(0, standing.leastDistance(below: fit)) }
    }

    /// No more of them come; what they told stays.
    mutating func finish() {
        polled.removeAll()
        standing.removeAll()
    }

    // MARK: Wakes

    /// How far the device may be from the line through its wakes, in seconds, but for what every wake takes.
    var uncertainty: Double { lateness.least + delay + (scatter?.wander ?? 0) }

    /// What every wake may take beyond that, in seconds.
    var wakeDuration: Double { max(0, lateness.most - lateness.least) }

    /// A wake without its delay.
    /// - Parameter fit: of the wakes before it.
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

    /// An early wake: late by less than the delay. One is an exception, and says nothing of the others; two that agree
    /// show that the delay is less.
    private mutating func correctedEarly(_ point: ClockPoint, _ excess: Double) -> ClockPoint {
        late = (0, .infinity)
        let own = max(0, delay + excess)
        if abs(own - lastEarlyWakeDelay) < ClockFit.glitch { delay = own }
        lastEarlyWakeDelay = own
        return ClockPoint(time: point.time, residual: point.residual - own)
    }
}

/// How far wakes lie over the line through the earliest of them; all in seconds.
///
/// A line that drifts off its wakes leaves them gradually: they are no later than usual. The mean follows early wakes
/// sooner than late ones, so that among others of which half are late by another thread's turn it is that of the rest.
struct WakeScatter: BitwiseCopyable {
    private static let meanCount = 8.0
    private static let leastCount = 32
    /// Wakes that are late by another thread's turn are late by more than this, and by more than others ever are.
    private static let leastJump = 60e-6
    private static let sharpness = 8.0
    /// What is later than the mean by more counts as late by this.
    private static let reach = 10e-6
    /// How often its expectation the least of so many may be without telling anything: more is one in 50.
    private static let chance = 4.0
    /// What is left of ``wander`` after as many wakes as the least is made of.
    private static let persistence = 7.0 / 8

    private var mean: Double
    /// The least of the last 32 to 64: of those up to the 32nd last one, and of those since.
    private var former = 0.0
    private var latter = Double.infinity
    private var count = 0
    /// How far the earliest of so many lay over the line, at most of late, beyond what chance explains: the line is known no
    /// better.
    private(set) var wander = 0.0

    init(mean: Double) { self.mean = mean }

    /// What nearly all lie over.
    var least: Double { min(former, latter) }
    /// What no wake lies over as a rule.
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
