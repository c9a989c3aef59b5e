/// Why a benchmark's command line is refused, in one line.
public struct BenchmarkRefusal: Error {
    public var reason: String

    public init(reason: String) { self.reason = reason }
}

/// The words of a benchmark's command line, from the left.
public struct BenchmarkArguments {
    private var rest: ArraySlice<String>

    public init(_ arguments: [String]) { rest = arguments[...] }

    /// The next option's name; nil at the end.
    public mutating func next() -> String? { rest.popFirst() }

    public mutating func value(of name: String) throws(BenchmarkRefusal) -> String {
        guard let value = rest.popFirst() else { throw BenchmarkRefusal(reason: "\(name) needs a value") }
        return value
    }

    public mutating func number(
        of name: String, in range: ClosedRange<Int>
    ) throws(BenchmarkRefusal) -> Int {
        let text = try value(of: name)
        guard let number = Int(text), range.contains(number) else {
            throw BenchmarkRefusal(reason: "\(name) is from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// One of these by its name.
    public mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of name: String
    ) throws(BenchmarkRefusal) -> Choice {
        guard let choice = Choice(rawValue: try value(of: name)) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw BenchmarkRefusal(reason: "\(name) is one of \(known)")
        }
        return choice
    }
}
