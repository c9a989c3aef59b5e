/// The most that a run's figures may be, in microseconds. What is nil is not limited.
public struct SkewLimits: Sendable {
    public var p50: Double?
    public var p99: Double?
    public var maximum: Double?
    public var first: Double?
    public var whole: Double?

    public init(p50: Double?, p99: Double?, maximum: Double?, first: Double?, whole: Double?) {
        self.p50 = p50
        self.p99 = p99
        self.maximum = maximum
        self.first = first
        self.whole = whole
    }

    /// How good it shall be: three hosts, songs of 90 s, medians of five runs.
    public static let quietLAN = SkewLimits(p50: 1, p99: 3, maximum: 5, first: 20, whole: 25)
    /// The same over ``RadioLink/wiFi(seed:)``.
    public static let radio = SkewLimits(p50: 50, p99: 100, maximum: 300, first: 300, whole: 500)
    /// The same over ``RadioLink/rough(seed:)``.
    public static let roughRadio = SkewLimits(p50: 30, p99: 60, maximum: 150, first: 300, whole: 500)

    /// For single runs, which scatter.
    public var doubled: SkewLimits {
        SkewLimits(
            p50: p50.map { $0 * 2 }, p99: p99.map { $0 * 2 }, maximum: maximum.map { $0 * 2 },
            first: first.map { $0 * 2 }, whole: whole.map { $0 * 2 })
    }

    /// The names of the figures that are above their limit, or that there are none of. Windows that are unlike are a
    /// fault of the whole run.
    public func excesses(of figures: SkewFigures) -> [String] {
        let all = [
            ("p50", p50, figures.p50), ("p99", p99, figures.p99), ("max", maximum, figures.maximum),
            ("first 0.5 s", first, figures.first), ("whole run", whole, figures.whole),
        ]
        var names = all.filter { _, limit, value in
            guard let limit else { return false }
            guard let value else { return true }
            return value * 1e6 > limit
        }.map(\.0)
        if figures.unlikeCount > 0 { names.append("unlike windows") }
        return names
    }
}
