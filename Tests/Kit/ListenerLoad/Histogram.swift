/// Counts of what fell into bins of equal width: any number of values takes the same memory.
struct Histogram: Sendable {
    private var bins: [UInt32]
    private(set) var count = 0

    init(binCount: Int) { bins = Array(repeating: 0, count: binCount) }

    /// What is beyond the first bin or the last counts there.
    mutating func add(bin: Int) {
        count += 1
        bins[min(max(bin, 0), bins.count - 1)] &+= 1
    }

    /// The first bin up to which there is this part of all values; nil of none.
    func bin(ofPart part: Double) -> Int? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((part * Double(count)).rounded(.up)))
        var sum = 0
        return bins.firstIndex { bin in
            sum += Int(bin)
            return sum >= wanted
        }
    }
}
