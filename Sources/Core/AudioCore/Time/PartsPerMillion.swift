/// A relative rate difference: a clock at +40 ppm gains 40 us in a second.
public struct PartsPerMillion: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var value: Double

    public init(_ value: Double) { self.value = value }

    /// Creates the deviation that turns 1 into `ratio`.
    public init(ratio: Double) { value = (ratio - 1) * 1e6 }

    public static let zero = PartsPerMillion(0)

    /// 1 + value / 1,000,000.
    public var ratio: Double { 1 + value * 1e-6 }

    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
    public static func + (a: Self, b: Self) -> Self { Self(a.value + b.value) }
    public static func - (a: Self, b: Self) -> Self { Self(a.value - b.value) }
}

extension PartsPerMillion: CustomStringConvertible {
    public var description: String { "\(value) ppm" }
}
