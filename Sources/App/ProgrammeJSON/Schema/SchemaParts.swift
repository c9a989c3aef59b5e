// Words of JSON Schema (2020-12), of which schemas are made.

extension JSONValue {
    static let schemaText: JSONValue = .object(["type": .string("string")])
    static let schemaBool: JSONValue = .object(["type": .string("boolean")])

    static func schemaText(_ meaning: String) -> JSONValue {
        .object(["type": .string("string"), "description": .string(meaning)])
    }

    static func schemaNumber(_ meaning: String, _ range: ClosedRange<Int64>? = nil) -> JSONValue {
        schemaNumber("number", meaning, range)
    }

    static func schemaInteger(_ meaning: String, _ range: ClosedRange<Int64>? = nil) -> JSONValue {
        schemaNumber("integer", meaning, range)
    }

    /// From 0.
    static func schemaCount(_ meaning: String) -> JSONValue { schemaInteger(meaning, 0...Int64(UInt32.max)) }

    private static func schemaNumber(_ type: String, _ meaning: String, _ range: ClosedRange<Int64>?) -> JSONValue {
        var members = [
            Member(key: "type", value: .string(type)), Member(key: "description", value: .string(meaning)),
        ]
        if let range {
            members.append(Member(key: "minimum", value: .integer(range.lowerBound)))
            members.append(Member(key: "maximum", value: .integer(range.upperBound)))
        }
        return .object(members)
    }

    static func schemaEnum(_ values: [String]) -> JSONValue { .object(["enum": .array(values.map { .string($0) })]) }

    static func schemaList(_ items: JSONValue) -> JSONValue {
        .object(["type": .string("array"), "items": items])
    }

    static func schemaReference(_ name: String) -> JSONValue { .object(["$ref": .string("#/$defs/\(name)")]) }

    static func schemaOneOf(_ choices: [JSONValue]) -> JSONValue { .object(["oneOf": .array(choices)]) }

    static func schemaOptional(_ schema: JSONValue) -> JSONValue {
        schemaOneOf([schema, .object(["type": .string("null")])])
    }

    /// An object of ours: a later version may have further members.
    static func schemaObject(
        _ required: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        schemaObject(required, optional, isClosed: false)
    }

    /// An object of somebody else, which has no other members than these.
    static func schemaRequest(
        _ required: KeyValuePairs<String, JSONValue>, optional: KeyValuePairs<String, JSONValue> = [:]
    ) -> JSONValue {
        schemaObject(required, optional, isClosed: true)
    }

    private static func schemaObject(
        _ required: KeyValuePairs<String, JSONValue>, _ optional: KeyValuePairs<String, JSONValue>, isClosed: Bool
    ) -> JSONValue {
        let properties = (Array(required) + Array(optional)).map { Member(key: $0.key, value: $0.value) }
        var members = [
            Member(key: "type", value: .string("object")), Member(key: "properties", value: .object(properties)),
            Member(key: "required", value: .array(required.map { .string($0.key) })),
        ]
        if isClosed { members.append(Member(key: "additionalProperties", value: .bool(false))) }
        return .object(members)
    }
}
