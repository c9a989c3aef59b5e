/// A dictionary that keeps its values in order of arrival, so that a run can be replayed.
///
/// Adding and finding a value touches no other, however many there are. Removing moves later ones up in memory without
/// looking at them.
///
/// Inlinable, as is what uses it for each message: each session has its own links, and shared code that asks for their
/// layout at run time took a seventh of a listener's network thread.
@usableFromInline struct OrderedDictionary<Key: Hashable, Value> {
    /// In order of arrival.
    @usableFromInline var keys: [Key] = []
    /// In the order of ``keys``.
    @usableFromInline var values: [Value] = []
    /// The serial numbers of ``keys``, counting all that ever arrived: always ascending.
    @usableFromInline var numbers: [Int] = []
    @usableFromInline var numbersByKey: [Key: Int] = [:]
    @usableFromInline var nextNumber = 0

    var count: Int { keys.count }

    /// Setting a value for a new key appends it.
    @inlinable subscript(key: Key) -> Value? {
        get { place(of: key).map { values[$0] } }
        set {
            guard let newValue else {
                remove(key)
                return
            }
            if let place = place(of: key) { values[place] = newValue } else { append(key, newValue) }
        }
    }

    /// Changes a value in place, without copying its contents.
    /// - Returns: the result of the change; nil if there is no such value.
    @inlinable @discardableResult
    mutating func change<Result, Failure: Error>(
        _ key: Key, _ change: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let place = place(of: key) else { return nil }
        return try change(&values[place])
    }

    @inlinable @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let place = place(of: key) else { return nil }
        numbersByKey[key] = nil
        numbers.remove(at: place)
        keys.remove(at: place)
        return values.remove(at: place)
    }

    @inlinable mutating func append(_ key: Key, _ value: Value) {
        numbersByKey[key] = nextNumber
        numbers.append(nextNumber)
        nextNumber += 1
        keys.append(key)
        values.append(value)
    }

    /// Finds a key by binary search: the numbers ascend.
    @inlinable func place(of key: Key) -> Int? {
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
    /// Subtracts one from a count, and removes it at zero.
    mutating func countDown(_ key: Key) {
        guard let count = self[key] else { return }
        self[key] = count > 1 ? count - 1 : nil
    }
}
