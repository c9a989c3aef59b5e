/// A point of an envelope: seconds relative to now, and an offset in nanoseconds.
struct EnvelopePoint: Sendable, BitwiseCopyable {
    var x: Double
    var y: Double
}

/// The lowest of many numbers, up to a limit, in ascending order.
struct LowestValues: Sendable {
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
