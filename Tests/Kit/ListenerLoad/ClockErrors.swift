import AudioCore

/// How far listeners' clocks are from the broadcaster's, which is this machine's own, counted in tenths of a microsecond,
/// so that any number of readings takes the same memory.
public struct ClockErrors: Sendable {
    /// What is farther off counts as this, but for ``most``.
    private static let binCount = 100_000
    private static let binNanoseconds: Int64 = 100

    public private(set) var count = 0
    /// Exact.
    public private(set) var most: TimeSpan?
    /// Errors beyond the bound that the listener itself published at that moment.
    public private(set) var beyondBoundCount = 0
    private var bins: [UInt32] = []

    public init() {}

    /// - Parameter bound: what the listener says of itself.
    public mutating func add(_ error: TimeSpan, bound: TimeSpan) {
        if bins.isEmpty { bins = Array(repeating: 0, count: Self.binCount) }
        let magnitude = error.magnitude
        count += 1
        most = max(most ?? magnitude, magnitude)
        if magnitude > bound { beyondBoundCount += 1 }
        bins[min(Int(magnitude.nanoseconds / Self.binNanoseconds), Self.binCount - 1)] &+= 1
    }

    /// The error that this part of the readings does not exceed, to a tenth of a microsecond; nil of none.
    public func percentile(_ part: Double) -> TimeSpan? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((part * Double(count)).rounded(.up)))
        var sum = 0
        for (index, bin) in bins.enumerated() {
            sum += Int(bin)
            if sum >= wanted { return .nanoseconds((Int64(index) + 1) * Self.binNanoseconds) }
        }
        return nil
    }
}
