/// A point of an envelope: seconds relative to now, and an offset in nanoseconds.
struct EnvelopePoint: Sendable, BitwiseCopyable {
    var x: Double
    var y: Double
}

/// The lowest of many numbers, ``capacity`` at most, in ascending order.
struct LowestValues: Sendable, BitwiseCopyable {
    static let capacity = 10

    private var values = InlineArray<10, Double>(repeating: .infinity)
    private(set) var count = 0
    private let limit: Int
    /// What is not below this is not among the lowest.
    private var end = Double.infinity

    /// - Parameter limit: how many are kept, from 1 to ``capacity``.
    init(limit: Int) { self.limit = min(max(1, limit), Self.capacity) }

    /// The mean distance between them; nil of fewer than two.
    var spacing: Double? { count > 1 ? (values[count - 1] - values[0]) / Double(count - 1) : nil }

    @inline(__always) mutating func insert(_ value: Double) {
        // Nearly all are not.
        if value < end { place(value) }
    }

    private mutating func place(_ value: Double) {
        var index = count < limit ? count : limit - 1
        while index > 0, values[index - 1] > value {
            values[index] = values[index - 1]
            index -= 1
        }
        values[index] = value
        count = min(count + 1, limit)
        if count == limit { end = values[limit - 1] }
    }
}
