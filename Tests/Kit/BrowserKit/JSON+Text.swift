import ProgrammeJSON

extension JSON {
    /// Parses a whole text of JSON, in UTF-8, as Tutti parses it: nil where it is not well formed, or too deeply
    /// nested.
    public init?(parsing bytes: some Collection<UInt8>) {
        guard let value = try? JSONValue(parsing: bytes, byteLimit: bytes.count) else { return nil }
        self.init(value)
    }

    /// As JSON text in one line, the members of objects in the order of their names. A number that JSON does not know
    /// (an infinity) becomes null. That of a string is one of JavaScript, too.
    public var text: String { written.text }

    private init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .boolean(value)
        case .integer, .number, .double: self = .number(value.number ?? .nan)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { JSON($0) })
        case .object(let members): self = .object(Dictionary(members.map { ($0.key, JSON($0.value)) }) { $1 })
        }
    }

    private var written: JSONValue {
        switch self {
        case .null: .null
        case .boolean(let value): .bool(value)
        case .number(let value): Int64(exactly: value).map { .integer($0) } ?? .double(value)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.written))
        case .object(let members):
            .object(
                members.sorted { $0.key < $1.key }.map { JSONValue.Member(key: $0.key, value: $0.value.written) })
        }
    }
}
