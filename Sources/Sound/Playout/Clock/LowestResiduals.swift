/// The lowest few of many residuals: their spacing, and the level below which they are glitches.
struct LowestResiduals: ~Copyable {
    /// Mean distance between neighbours, in seconds.
    private(set) var spacing = ClockFit.unknownSpacing
    /// Lower residuals are glitches.
    private(set) var floor = -Double.infinity

    /// The number of residuals that give the spacing, and the most glitches below them.
    private static let tellingCount = 10
    private static let glitchCount = 6
    /// No clock is read more finely than this.
    private static let spacingFloor = 0.02e-6

    private let values: UnsafeMutablePointer<Double>
    private var count = 0
    private var limit = 0

    init() {
        values = .allocate(capacity: Self.tellingCount + Self.glitchCount)
        values.initialize(repeating: 0, count: Self.tellingCount + Self.glitchCount)
    }

    deinit { values.deallocate() }

    /// Starts again, for `total` residuals.
    mutating func begin(count total: Int) {
        count = 0
        limit = max(2, min(Self.tellingCount + Self.glitchCount, total / 2))
    }

    mutating func insert(_ value: Double) {
        if count == limit, value >= values[count - 1] { return }
        if count < limit { count += 1 }
        var place = count - 1
        while place > 0, values[place - 1] > value {
            values[place] = values[place - 1]
            place -= 1
        }
        values[place] = value
    }

    mutating func end() {
        let first = glitches
        let last = min(count - 1, first + Self.tellingCount - 1)
        floor = first > 0 ? values[first] : -.infinity
        spacing =
            last > first
            ? max(Self.spacingFloor, (values[last] - values[first]) / Double(last - first)) : ClockFit.unknownSpacing
    }

    /// The number of lowest residuals that lie far below all others.
    private var glitches: Int {
        var first = min(Self.glitchCount, max(0, count - Self.tellingCount + 1))
        while first > 0 {
            let others = values[count - 1] - values[first]
            if values[first] - values[first - 1] > 4 * others + ClockFit.glitch { return first }
            first -= 1
        }
        return 0
    }
}
