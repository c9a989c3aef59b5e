// A coarse pointer moves in bursts, and some of these wake the loop. What is read then is late by what a wake takes,
// which is much the same from one to the next: such readings lie close to each other, and tell the rate. What is read
// between wakes, by the clock, is late by anything up to the time between two readings: now and then it is earlier than
// any wake, and mostly far later; and where readings and bursts beat against each other, it is that for seconds.
//
// Both together are no cloud with one edge. A loop that reads by the clock until the rate is known, and is only woken
// from then on, has its earliest readings at the beginning: a line below all of them is tilted by what a wake takes, and
// seems the more certain the more wakes there are. So the line is made of wakes alone, and the readings between them
// only move it: none may lie below it, since none is early.
//
// Wakes change as well: where two threads are woken by one interrupt and the other goes first, all are late by what that
// one does, 280 us at once and for good (a kernel's loopback card, two players, one processor; 490 when the other
// renders more). A card of 0 ppm was taken for one of -30 to -58 until the last quick wake was forgotten, for 20 s. But
// no crystal changes from one moment to the next: when a dozen wakes in a row are late by the same, beyond what the edge
// is known to, it is the wakes, and from then on so much is taken off. An earlier one takes off less again. Where the
// card itself had stood still for as long, nothing would tell; so what is taken off is part of the bound, and no more
// than a millisecond is: beyond it is a step of the clock.

/// By how much the wakes of a coarse device are late, as far as its readings tell.
///
/// Real-time safe; owns no memory.
struct WakeEdge: BitwiseCopyable {
    private static let runCount = 12
    /// The mean of a run over its least: wakes that are late by the same are closer together than such that scatter.
    private static let likeness = 1.5
    private static let largestDelay = 1e-3

    /// Readings between wakes, in the order of their time.
    private var polled: ClockPoints
    /// Seconds that the line through the wakes is late at least.
    private(set) var lateness = 0.0
    /// Seconds that wakes are later than those that the line was made of first.
    private(set) var delay = 0.0
    /// Wakes in a row that were late: how many, the least that one of them was late by, and all of that.
    private var run = (count: 0, least: 0.0, sum: 0.0)

    init(memory: UnsafeMutablePointer<ClockPoint>, capacity: Int) {
        polled = ClockPoints(memory: memory, capacity: capacity)
    }

    // MARK: Between wakes

    mutating func notePolled(_ point: ClockPoint) { polled.append(point) }

    /// Compares the readings between wakes with the line through these.
    mutating func compare(with fit: ClockFit) {
        guard polled.count > 0 else { return }
        lateness = 0
        for index in 0..<polled.count {
            let point = polled[index]
            lateness = max(lateness, fit.residual(at: point.time) - point.residual)
        }
    }

    /// No more of them come; what they told stays.
    mutating func finish() { polled.removeAll() }

    // MARK: Wakes

    /// A wake without its delay.
    /// - Parameter fit: of the wakes before it.
    mutating func corrected(_ point: ClockPoint, by fit: ClockFit) -> ClockPoint {
        let excess = point.residual - delay - fit.residual(at: point.time)
        if excess <= fit.earlyLimit {
            run.count = 0
            delay = max(0, delay + min(0, excess))
        } else {
            extendRun(excess)
        }
        return ClockPoint(time: point.time, residual: point.residual - delay)
    }

    private mutating func extendRun(_ excess: Double) {
        run = run.count == 0 ? (1, excess, excess) : (run.count + 1, min(run.least, excess), run.sum + excess)
        guard run.count >= Self.runCount else { return }
        let isAlike = run.sum < Self.likeness * run.least * Double(run.count)
        if isAlike, delay + run.least < Self.largestDelay { delay += run.least }
        run.count = 0
    }

    mutating func restart() {
        polled.removeAll()
        lateness = 0
        delay = 0
        run.count = 0
    }
}
