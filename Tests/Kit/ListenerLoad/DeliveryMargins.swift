import AudioCore

/// How long before their first frame is due messages are there, counted in milliseconds, so that any number of them
/// takes the same memory.
public struct DeliveryMargins: Sendable {
    private static let range: ClosedRange<Int64> = -10_000...30_000

    public var count: Int { histogram.count }
    /// Exact.
    public private(set) var least: TimeSpan?
    private var histogram = Histogram(binCount: range.count)

    public init() {}

    public mutating func add(_ margin: TimeSpan) {
        least = min(least ?? margin, margin)
        let milliseconds = Int64(saturating: margin.milliseconds.rounded(.down))
        let clamped = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
        histogram.add(bin: Int(clamped - Self.range.lowerBound))
    }

    /// The margin that all but this part of the messages have at least, to a millisecond; nil of none.
    public func percentile(_ part: Double) -> TimeSpan? {
        histogram.bin(ofPart: part).map { .milliseconds(Self.range.lowerBound + Int64($0)) }
    }
}
