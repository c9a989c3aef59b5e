import AudioCore

/// How long before their first frame is due messages are there, counted in milliseconds, so that any number of them
/// takes the same memory.
public struct DeliveryMargins: Sendable {
    private static let range: ClosedRange<Int64> = -10_000...30_000

    public private(set) var count = 0
    /// Exact.
    public private(set) var least: TimeSpan?
    private var bins = [UInt32](repeating: 0, count: Int(range.upperBound - range.lowerBound) + 1)

    public init() {}

    public mutating func add(_ margin: TimeSpan) {
        count += 1
        least = min(least ?? margin, margin)
        let milliseconds = Int64(saturating: margin.milliseconds.rounded(.down))
        let clamped = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
        bins[Int(clamped - Self.range.lowerBound)] &+= 1
    }

    /// The margin that all but this part of the messages have at least, to a millisecond; nil of none.
    public func percentile(_ part: Double) -> TimeSpan? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((part * Double(count)).rounded(.up)))
        var sum = 0
        for (index, bin) in bins.enumerated() {
            sum += Int(bin)
            if sum >= wanted { return .milliseconds(Self.range.lowerBound + Int64(index)) }
        }
        return nil
    }
}
