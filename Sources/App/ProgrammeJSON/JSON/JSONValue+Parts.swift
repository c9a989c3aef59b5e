// What somebody's JSON holds: each is nil for a value of another kind.

extension JSONValue {
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// Any number; an integer beyond 2^53 is rounded.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value, _), .double(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// Returns an object's member; nil too if it has none of this name. Names are the same if their code points are.
    public func member(_ key: String) -> JSONValue? {
        members?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// What kind of value it is, for error texts.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number, .double: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
