/// A point of an envelope: seconds relative to now, and an offset in nanoseconds.
struct EnvelopePoint: Sendable, BitwiseCopyable {
    var x: Double
    var y: Double
}

/// The lower convex hull of points that arrive in order of x: the points that lines from below can touch.
struct LowerHull: Sendable {
    private(set) var points: [EnvelopePoint] = []

    mutating func removeAll() { points.removeAll(keepingCapacity: true) }

    /// Adds a point by Andrew's monotone chain: points above the line of their neighbours are removed.
    mutating func append(_ point: EnvelopePoint) {
        while points.count >= 2, !Self.turnsLeft(points[points.count - 2], points[points.count - 1], point) {
            points.removeLast()
        }
        points.append(point)
    }

    /// Returns the height at x = 0 of the highest line of the given slope (ns per second) that no point lies below.
    func support(slope: Double) -> Double {
        var lowest = Double.infinity
        for point in points { lowest = min(lowest, point.y - slope * point.x) }
        return lowest
    }

    private static func turnsLeft(_ a: EnvelopePoint, _ b: EnvelopePoint, _ c: EnvelopePoint) -> Bool {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0
    }
}

/// The lowest few of many numbers, in order.
struct LowestFew: Sendable {
    private(set) var values: [Double] = []
    let limit: Int

    init(limit: Int) {
        self.limit = limit
        values.reserveCapacity(limit + 1)
    }

    mutating func insert(_ value: Double) {
        if values.count == limit, let last = values.last, value >= last { return }
        var index = values.count
        while index > 0, values[index - 1] > value { index -= 1 }
        values.insert(value, at: index)
        if values.count > limit { values.removeLast() }
    }
}
