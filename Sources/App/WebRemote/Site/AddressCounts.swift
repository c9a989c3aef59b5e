/// How many things of one kind each address has under way.
struct AddressCounts {
    private let limit: Int
    private let limitOfAddress: Int
    private var count = 0
    private var counts: [String: Int] = [:]

    init(limit: Int, ofAddress limitOfAddress: Int) {
        self.limit = limit
        self.limitOfAddress = limitOfAddress
    }

    /// Counts one more.
    /// - Returns: whether there is room for it.
    mutating func begin(_ address: String) -> Bool {
        guard count < limit, counts[address, default: 0] < limitOfAddress else { return false }
        count += 1
        counts[address, default: 0] += 1
        return true
    }

    /// Takes note that one of those is over.
    mutating func end(_ address: String) {
        guard let its = counts[address] else { return }
        count -= 1
        counts[address] = its > 1 ? its - 1 : nil
    }
}
