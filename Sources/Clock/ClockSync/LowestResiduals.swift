/// The lowest of a set of residuals, in ascending order: half of them, ``capacity`` at most and two at least.
struct LowestResiduals: Sendable, BitwiseCopyable {
    static let capacity = 10

    private var values = InlineArray<10, Double>(repeating: .infinity)
    private var count = 0
    private let limit: Int
    /// What is not below this is not among the lowest.
    private var end = Double.infinity

    /// - Parameter count: how many will be inserted.
    init(of count: Int) { limit = max(2, min(Self.capacity, count / 2)) }

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
