import AudioCore

/// How far listeners' clocks are from the broadcaster's, which is this machine's own, counted in tenths of a
/// microsecond, so that any number of readings takes the same memory.
public struct ClockErrors: Sendable {
    /// What is farther off counts as this, but for ``most``.
    private static let binCount = 100_000
    private static let binNanoseconds: Int64 = 100

    public var count: Int { histogram.count }
    /// Exact.
    public private(set) var most: TimeSpan?
    /// Errors beyond the bound that the listener itself published at that moment.
    public private(set) var beyondBoundCount = 0
    private var histogram = Histogram(binCount: binCount)

    public init() {}

    /// - Parameter bound: what the listener says of itself.
    public mutating func add(_ error: TimeSpan, bound: TimeSpan) {
        let magnitude = error.magnitude
        most = max(most ?? magnitude, magnitude)
        if magnitude > bound { beyondBoundCount += 1 }
        histogram.add(bin: Int(magnitude.nanoseconds / Self.binNanoseconds))
    }

    /// The error that this part of the readings does not exceed, to a tenth of a microsecond; nil of none.
    public func percentile(_ part: Double) -> TimeSpan? {
        histogram.bin(ofPart: part).map { .nanoseconds((Int64($0) + 1) * Self.binNanoseconds) }
    }
}
