/// The lower convex hull of points that arrive in order of x: every line from below touches it first.
///
/// Allocates when it is made, never later; real-time safe but for `init` and `deinit`.
public struct LowerHull: ~Copyable {
    @usableFromInline let points: UnsafeMutablePointer<SIMD2<Double>>
    @usableFromInline let capacity: Int
    @usableFromInline var count = 0

    /// - Parameter capacity: the most points that it is ever given.
    public init(capacity: Int) {
        self.capacity = max(1, capacity)
        points = .allocate(capacity: self.capacity)
        points.initialize(repeating: .zero, count: self.capacity)
    }

    deinit { points.deallocate() }

    @inlinable public mutating func removeAll() { count = 0 }

    /// Adds a point by Andrew's monotone chain: a point above the line between its neighbours goes.
    @inlinable public mutating func append(x: Double, y: Double) {
        let point = SIMD2(x, y)
        while count >= 2, !Self.turnsLeft(points[count - 2], points[count - 1], point) { count -= 1 }
        precondition(count < capacity, "more points than the hull was made for")
        points[count] = point
        count += 1
    }

    /// The height at x = 0 of the highest line of the given slope with every point on or above it; infinity without
    /// points.
    @inlinable public func support(slope: Double) -> Double {
        var lowest = Double.infinity
        for index in 0..<count { lowest = min(lowest, points[index].y - slope * points[index].x) }
        return lowest
    }

    @inlinable static func turnsLeft(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Bool {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0
    }
}
