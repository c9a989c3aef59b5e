/// A reading, or the earliest of a bucket: device time since the first reading at the nominal rate, and how much more
/// host time had passed, both in seconds.
struct ClockPoint: BitwiseCopyable {
    var time = 0.0
    var residual = 0.0
}

/// Readings in the order of their time, oldest first, in a ring of fixed capacity (a power of two) that others own.
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

    /// Pushes the oldest out when there is no room.
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

    /// By how much the earliest reading of the latter half of the time is later than that of the former half, and how
    /// far apart the halves are. There must be a point.
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

    /// How far under the line the lowest point lies, in seconds; minus infinity without one.
    func greatestDistance(below fit: ClockFit) -> Double {
        var greatest = -Double.infinity
        for index in 0..<count { greatest = max(greatest, fit.residual(at: self[index].time) - self[index].residual) }
        return greatest
    }

    /// The same of the highest point; infinity without one.
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

/// Readings that are alike, one after the other.
struct ReadingRun: BitwiseCopyable {
    private var count = 0
    private var since = 0.0

    mutating func end() { count = 0 }

    /// Takes one more. Returns whether there are so many now, over so many seconds.
    mutating func extend(at time: Double, toCount least: Int, seconds: Double) -> Bool {
        if count == 0 { since = time }
        count += 1
        return count >= least && time - since >= seconds
    }
}

/// Readings of some 20 ms, of which the earliest counts. Where stamps lie early at times, it is the earliest but one of
/// many, if need be of 100 ms: hardly later, and true even if one in a hundred lies.
struct ClockBucket: BitwiseCopyable {
    private static let seconds = 0.02
    private static let longestSeconds = 0.1
    private static let manyCount = 8

    private var count = 0
    private var begin = 0.0
    private var first = (point: ClockPoint(), excess: Double.infinity)
    private var second = (point: ClockPoint(), excess: Double.infinity)

    func telling(hasLies: Bool) -> ClockPoint { hasLies && count >= Self.manyCount ? second.point : first.point }

    func isOver(at time: Double, hasLies: Bool) -> Bool {
        guard count > 0, time - begin >= Self.seconds else { return false }
        return !hasLies || count >= Self.manyCount || time - begin >= Self.longestSeconds
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

/// What is known of the slope before any point: it stands for the residual's growth in seconds a second.
struct RatePrior: BitwiseCopyable {
    var slope: Double
    var deviation: Double

    static let unknown = 100e-6
    static let remembered = 5e-6
    /// Sound cards beyond this are no sound cards.
    static let limitPPM = 1_200.0

    /// Nearly nothing is known.
    static let none = RatePrior(slope: 0, deviation: limitPPM * 1e-6)

    /// Learned from this very device a moment ago.
    var isFresh: Bool { deviation < 4e-6 }
}
