/// A reading, or the earliest one of a bucket: the device time since the first reading at the nominal rate, and the
/// host time since then minus that device time; both in seconds.
struct ClockPoint: BitwiseCopyable {
    var time = 0.0
    var residual = 0.0
}

/// Points in order of time, oldest first, in a ring of fixed capacity (a power of two) that the caller owns.
struct ClockPoints: BitwiseCopyable {
    let memory: UnsafeMutablePointer<ClockPoint>
    let mask: Int
    private(set) var head = 0
    private(set) var count = 0

    init(memory: UnsafeMutablePointer<ClockPoint>, capacity: Int) {
        self.memory = memory
        mask = capacity - 1
    }

    var isFull: Bool { count > mask }

    subscript(index: Int) -> ClockPoint { memory[(head + index) & mask] }

    /// Appends a point, and drops the oldest one if the ring is full.
    mutating func append(_ point: ClockPoint) {
        if isFull { dropFirst() }
        memory[(head + count) & mask] = point
        count += 1
    }

    mutating func dropFirst() {
        head = (head + 1) & mask
        count -= 1
    }

    mutating func removeLast() { count -= 1 }

    /// The lowest residual of the second half of the time minus that of the first half, and the time between the
    /// halves. Needs at least one point.
    var drift: (residual: Double, time: Double) {
        let half = 0.5 * (self[count - 1].time - self[0].time)
        let middle = self[0].time + half
        var former = Double.infinity
        var latter = Double.infinity
        for index in 0..<count {
            let point = self[index]
            if point.time < middle {
                former = min(former, point.residual)
            } else {
                latter = min(latter, point.residual)
            }
        }
        return (former.isFinite ? latter - former : 0, half)
    }

    /// The distance of the lowest point below the line, in seconds; minus infinity without points.
    func greatestDistance(below fit: ClockFit) -> Double {
        var greatest = -Double.infinity
        for index in 0..<count { greatest = max(greatest, fit.residual(at: self[index].time) - self[index].residual) }
        return greatest
    }

    /// The distance of the highest point below the line, in seconds; infinity without points.
    func leastDistance(below fit: ClockFit) -> Double {
        var least = Double.infinity
        for index in 0..<count { least = min(least, fit.residual(at: self[index].time) - self[index].residual) }
        return least
    }

    mutating func removeAll() {
        head = 0
        count = 0
    }
}

/// A run of consecutive readings of one kind.
struct ReadingRun: BitwiseCopyable {
    private var count = 0
    private var since = 0.0

    mutating func end() { count = 0 }

    /// Adds a reading. Returns whether the run now has this many readings and spans this many seconds.
    mutating func extend(at time: Double, toCount least: Int, seconds: Double) -> Bool {
        if count == 0 { since = time }
        count += 1
        return count >= least && time - since >= seconds
    }
}

/// The readings of about 20 ms, represented by the earliest. Where stamps are sometimes early, the second earliest of
/// at least eight represents them, over up to 100 ms if need be: hardly later, and correct even if one stamp in a
/// hundred is early.
struct ClockBucket: BitwiseCopyable {
    private static let seconds = 0.02
    private static let longestSeconds = 0.1
    private static let manyCount = 8

    private var count = 0
    private var begin = 0.0
    private var first = (point: ClockPoint(), excess: Double.infinity)
    private var second = (point: ClockPoint(), excess: Double.infinity)

    func telling(hasEarlyStamps: Bool) -> ClockPoint {
        hasEarlyStamps && count >= Self.manyCount ? second.point : first.point
    }

    func isOver(at time: Double, hasEarlyStamps: Bool) -> Bool {
        guard count > 0, time - begin >= Self.seconds else { return false }
        return !hasEarlyStamps || count >= Self.manyCount || time - begin >= Self.longestSeconds
    }

    mutating func add(_ point: ClockPoint, slope: Double) {
        let excess = point.residual - slope * point.time
        if count == 0 { begin = point.time }
        count += 1
        if excess < first.excess {
            (first, second) = ((point, excess), first)
        } else if excess < second.excess {
            second = (point, excess)
        }
    }
}

/// What is known of the slope before the first point; the slope is the residual's growth in seconds per second.
struct RatePrior: BitwiseCopyable {
    var slope: Double
    var deviation: Double

    static let unknown = 100e-6
    static let remembered = 5e-6
    /// No sound card is further off than this.
    static let limitPPM = 1_200.0

    /// Almost no knowledge.
    static let none = RatePrior(slope: 0, deviation: limitPPM * 1e-6)

    /// Whether the rate was learned from this very device a moment ago.
    var isFresh: Bool { deviation < 4e-6 }
}
