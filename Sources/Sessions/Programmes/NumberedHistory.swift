/// The newest of elements that are numbered from 1, for those who missed some.
public struct NumberedHistory<Element: Sendable>: Sendable {
    /// Number of the newest element; 0 before the first.
    public private(set) var lastNumber: UInt64 = 0
    /// The element of number n is at the index (n - 1) % capacity.
    private var elements: [Element] = []
    private let capacity: Int

    /// - Parameter capacity: how many are kept; the oldest make room.
    public init(capacity: Int) {
        precondition(capacity > 0)
        self.capacity = capacity
    }

    public var last: Element? { lastNumber == 0 ? nil : elements[index(of: lastNumber)] }

    /// Appends what `make` makes of the next number.
    @discardableResult
    public mutating func append(_ make: (UInt64) -> Element) -> Element {
        lastNumber += 1
        let element = make(lastNumber)
        if elements.count < capacity {
            elements.append(element)
        } else {
            elements[index(of: lastNumber)] = element
        }
        return element
    }

    /// Returns all that follow a number, in order. Nil if some of them are forgotten, or none had that number.
    public func elements(after number: UInt64) -> [Element]? {
        guard number <= lastNumber, lastNumber - number <= UInt64(elements.count) else { return nil }
        return (number..<lastNumber).map { elements[index(of: $0 + 1)] }
    }

    private func index(of number: UInt64) -> Int { Int((number - 1) % UInt64(capacity)) }
}
