/// Values by their keys, in the order in which they came, so that a run can be replayed.
///
/// Adding and finding one looks at no other, however many there are. Removing moves up what came later, as memory, and
/// looks at none of it.
struct ArrivalList<Key: Hashable, Value> {
    /// In the order in which they came.
    private(set) var keys: [Key] = []
    /// In the order of ``keys``.
    private(set) var values: [Value] = []
    /// Which each of ``keys`` was of all that ever came: always ascending.
    private var numbers: [Int] = []
    private var numbersByKey: [Key: Int] = [:]
    private var nextNumber = 0

    var count: Int { keys.count }

    /// Setting adds what is not there, at the end.
    subscript(key: Key) -> Value? {
        get { place(of: key).map { values[$0] } }
        set {
            guard let newValue else {
                remove(key)
                return
            }
            if let place = place(of: key) { values[place] = newValue } else { append(key, newValue) }
        }
    }

    /// Changes a value in place: what it holds is not copied.
    /// - Returns: what the change gives; nil where there is no such value.
    @discardableResult
    mutating func change<Result, Failure: Error>(
        _ key: Key, _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let place = place(of: key) else { return nil }
        return try change(&values[place])
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = place(of: key) else { return nil }
        numbersByKey[key] = nil
        numbers.remove(at: place)
        keys.remove(at: place)
        return values.remove(at: place)
    }

    private mutating func append(_ key: Key, _ value: Value) {
        numbersByKey[key] = nextNumber
        numbers.append(nextNumber)
        nextNumber += 1
        keys.append(key)
        values.append(value)
    }

    /// By halving: the numbers ascend.
    private func place(of key: Key) -> Int? {
        guard let number = numbersByKey[key] else { return nil }
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Dictionary where Value == Int {
    /// Counts one less; what is counted no more is not kept.
    mutating func countDown(_ key: Key) {
        guard let count = self[key] else { return }
        self[key] = count > 1 ? count - 1 : nil
    }
}
