/// A JSON value (RFC 8259).
public indirect enum JSON: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// A member of an object; null where there is none.
    public subscript(name: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// An element of an array; null where there is none.
    public subscript(index: Int) -> JSON {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    public var number: Double? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    public var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// The elements of an array; none of anything else.
    public var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(members) { $1 })
    }
}
