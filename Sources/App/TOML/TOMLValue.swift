/// Where something begins.
public struct TOMLPosition: Hashable, Sendable {
    /// From 1.
    public let line: Int
    /// From 1, in bytes.
    public let column: Int
}

/// What stands behind a key.
public indirect enum TOMLValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time of day or both, as it is written; each part is within its range, and the day is one of its month.
    case dateTime(String)
    case array([TOMLElement])
    case table(TOMLTable)
}

/// One value of an array.
public struct TOMLElement: Hashable, Sendable {
    public let value: TOMLValue
    public let position: TOMLPosition
}

/// Keys and their values, in the order of the document.
public struct TOMLTable: Hashable, Sendable {
    public let entries: [TOMLEntry]

    /// Returns the entry of a key, which is the same byte for byte; nil if there is none.
    public func entry(_ key: String) -> TOMLEntry? { entries.first { $0.key.utf8.elementsEqual(key.utf8) } }
}

/// A key and its value.
public struct TOMLEntry: Hashable, Sendable {
    public let key: String
    public let value: TOMLValue
    /// The key's; that of its first header for a table, of its first part for one that dotted keys made.
    public let position: TOMLPosition
}
